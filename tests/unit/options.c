/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs that grow: programs that were compiled with an older and with a newer header, and every
 * size that a struct can claim to have. */
#define TUNING_VERSION 11
#include "unit/options_tuning.h"

#include "kit/kit.h"

#include <stdio.h>
#include <string.h>

enum { SIZE_1_0 = 16, FILL = 0xA5 };

tuning_seen tune(const tuning *options)
{
    static const tuning defaults = TUNING_INIT;
    tuning read = { .top = -1 };
    tuning_seen seen = { .status = XNCC_ERROR_INTERNAL };
    seen.status = xncc_read_options(&read, sizeof read, options, SIZE_1_0, &defaults, "tuning",
                                    &seen.error);
    seen.size = read.size;
    seen.top = read.top;
    seen.limit = read.limit;
    snprintf(seen.kernel, sizeof seen.kernel, "%s", read.kernel ? read.kernel : "");
    seen.threads = read.threads;
    return seen;
}

static void check_seen(const tuning_seen *seen, int32_t top, const char *kernel, int32_t threads)
{
    CHECK_STATUS(seen->status, XNCC_OK);
    CHECK_TEXT(seen->error.text, "");
    CHECK_INT(seen->size, sizeof(tuning));
    CHECK_INT(seen->top, top);
    CHECK(seen->limit == 0.5);
    CHECK_TEXT(seen->kernel, kernel);
    CHECK_INT(seen->threads, threads);
}

static void check_refused(const tuning_seen *seen, const char *text)
{
    CHECK_STATUS(seen->status, XNCC_ERROR_ARGUMENT);
    CHECK_TEXT(seen->error.text, text);
    CHECK_INT(seen->size, 0);
    CHECK_INT(seen->top, -1);
}

static void check_programs(void)
{
    tuning_seen seen = tune(NULL);
    check_seen(&seen, 5, "auto", 4);
    tuning same = TUNING_INIT;
    same.kernel = "mine";
    same.threads = 0; /* a 0 that the caller writes is a 0 */
    seen = tune(&same);
    check_seen(&seen, 5, "mine", 0);
    seen = old_program(7);
    check_seen(&seen, 7, "auto", 4);
    seen = old_program(0);
    check_seen(&seen, 0, "auto", 4);
    seen = newer_program("mine", 0);
    check_seen(&seen, 5, "mine", 4);
    for (int byte = 0; byte < 8; byte++) {
        char text[XNCC_ERROR_SIZE];
        snprintf(text, sizeof text,
                 "a struct tuning was made for a newer version of the library: byte %d of 40 is "
                 "not 0, and version %s knows 32; leave the new members 0, or use a newer library",
                 32 + byte, xncc_version());
        unsigned char bytes[8] = { 0 };
        int64_t number;
        bytes[byte] = 1;
        memcpy(&number, bytes, sizeof number);
        seen = newer_program("mine", number);
        check_refused(&seen, text);
    }
}

/* A struct with any size in front of bytes that are all FILL up to `filled` and 0 from there on. */
static tuning_seen claim(uint32_t size, size_t filled)
{
    static union {
        tuning options;
        unsigned char bytes[XNCC_OPTIONS_LARGEST];
    } memory;
    memset(&memory, 0, sizeof memory);
    memory.options = (tuning)TUNING_INIT;
    memset(memory.bytes + sizeof(tuning), FILL, filled - sizeof(tuning));
    memory.options.size = size;
    return tune(&memory.options);
}

static void check_sizes(void)
{
    static const uint32_t bad[] = { 0, 1, 4, SIZE_1_0 - 1, XNCC_OPTIONS_LARGEST + 1, UINT32_MAX };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[XNCC_ERROR_SIZE];
        snprintf(text, sizeof text,
                 "the size of a struct tuning is %u, not 16 .. 4096; initialize it with "
                 "TUNING_INIT",
                 (unsigned)bad[i]);
        tuning_seen seen = claim(bad[i], sizeof(tuning));
        check_refused(&seen, text);
    }
    for (uint32_t size = SIZE_1_0; size <= XNCC_OPTIONS_LARGEST; size++) {
        tuning_seen seen = claim(size, sizeof(tuning));
        check_seen(&seen, 5, "auto", 4);
        /* What is behind the claimed size does not count, whatever it is. */
        if (size >= sizeof(tuning)) {
            seen = claim(size, size);
            if (size == sizeof(tuning))
                check_seen(&seen, 5, "auto", 4);
            else
                CHECK_STATUS(seen.status, XNCC_ERROR_ARGUMENT);
        }
    }
    tuning_seen seen = claim(sizeof(tuning), XNCC_OPTIONS_LARGEST);
    check_seen(&seen, 5, "auto", 4);
    seen = claim(XNCC_OPTIONS_LARGEST - 1, sizeof(tuning) + 1);
    CHECK_STATUS(seen.status, XNCC_ERROR_ARGUMENT);
}

/* The first and the last byte beyond the library's struct are checked, and the one after that is
 * not. */
static void check_last_byte(void)
{
    unsigned char from[12] = { 0 }, to[4], defaults[4] = { 4 };
    const uint32_t size = 11;
    memcpy(from, &size, sizeof size);
    from[11] = 1;
    CHECK_STATUS(xncc_read_options(to, 4, from, 4, defaults, "tuning", NULL), XNCC_OK);
    from[10] = 1;
    CHECK_STATUS(xncc_read_options(to, 4, from, 4, defaults, "tuning", NULL), XNCC_ERROR_ARGUMENT);
    from[10] = 0;
    from[4] = 1;
    CHECK_STATUS(xncc_read_options(to, 4, from, 4, defaults, "tuning", NULL), XNCC_ERROR_ARGUMENT);
}

/* A size in the middle of the struct: the members before it are the caller's, the others are not.
 */
static void check_between(void)
{
    static const tuning defaults = TUNING_INIT;
    tuning from = { .top = 9, .limit = 2, .kernel = "mine", .threads = 8 };
    for (uint32_t size = SIZE_1_0; size <= sizeof from; size++) {
        tuning to;
        from.size = size;
        CHECK_STATUS(xncc_read_options(&to, sizeof to, &from, SIZE_1_0, &defaults, "tuning", NULL),
                     XNCC_OK);
        CHECK_INT(to.size, sizeof to);
        CHECK_INT(to.top, 9);
        unsigned char want[sizeof to];
        memcpy(want, &defaults, sizeof want);
        memcpy(want, &from, size);
        CHECK(!memcmp((unsigned char *)&to + 4, want + 4, sizeof to - 4));
    }
}

static void check_long_name(void)
{
    char name[2 * XNCC_ERROR_SIZE];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    tuning to, from = { .size = 0 };
    xncc_error error = { .text = "" };
    CHECK_STATUS(xncc_read_options(&to, sizeof to, &from, SIZE_1_0, &from, name, &error),
                 XNCC_ERROR_ARGUMENT);
    CHECK(strlen(error.text) < sizeof error.text);
}

/* A description for a program that knows more members, as many, and too few. */
static void check_give(void)
{
    static const tuning known = { .size = sizeof known, .top = 9, .limit = 2, .threads = 8 };
    unsigned char room[sizeof known + 16];
    for (uint32_t size = SIZE_1_0; size <= sizeof known + 8; size++) {
        uint32_t kept;
        memset(room, 0x5a, sizeof room);
        memcpy(room, &size, sizeof size);
        CHECK_STATUS(xncc_give_info(room, &known, sizeof known, SIZE_1_0, "tuning", NULL), XNCC_OK);
        memcpy(&kept, room, sizeof kept);
        CHECK_INT(kept, size);
        const size_t both = size < sizeof known ? size : sizeof known;
        CHECK(!memcmp(room + 4, (const unsigned char *)&known + 4, both - 4));
        for (size_t i = both; i < sizeof room; i++)
            CHECK_INT(room[i], i < size ? 0 : 0x5a);
    }
    const uint32_t few = SIZE_1_0 - 1;
    xncc_error error = { .text = "" };
    memcpy(room, &few, sizeof few);
    room[5] = 77;
    CHECK_STATUS(xncc_give_info(room, &known, sizeof known, SIZE_1_0, "tuning", &error),
                 XNCC_ERROR_ARGUMENT);
    CHECK(room[5] == 77 && strstr(error.text, "TUNING_INIT") != NULL);
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_give();
    check_programs();
    check_sizes();
    check_last_byte();
    check_between();
    check_long_name();
    return kit_finish("options");
}
