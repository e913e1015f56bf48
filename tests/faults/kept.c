/* SPDX-License-Identifier: BSD-2-Clause */
/* What has no output of its own to be compared when memory is short: the list of files that no
 * output may replace, and texts in memory. The linker leads the project's calls of realloc here. */
#include "inputs.h"
#include "kit/kit.h"
#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long left = -1; /* calls until one fails; negative: none fails */

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    if (left >= 0 && left-- == 0) {
        errno = ENOMEM;
        return NULL;
    }
    return __real_realloc(memory, size);
}

/* A file that cannot be remembered is refused, and those before it are still known. */
static void check_files(void)
{
    enum { FILES = 40 };
    char name[FILES][32];
    app_error error;
    int refused = 0;
    for (int i = 0; i < FILES; i++) {
        struct stat info;
        (void)strcpy(name[i], "kept-XXXXXX");
        const int fd = mkstemp(name[i]);
        if (fd < 0 || fstat(fd, &info) != 0)
            kit_give_up("cannot make a file here");
        (void)close(fd);
        error.text[0] = 0;
        left = 0;
        xncc_status status = app_inputs_add(&info, name[i], &error);
        if (status) {
            refused++;
            CHECK_STATUS(status, XNCC_ERROR_MEMORY);
            CHECK(strstr(error.text, name[i]) && strstr(error.text, "memory"));
            left = -1;
            status = app_inputs_add(&info, name[i], &error);
        }
        CHECK_STATUS(status, XNCC_OK);
    }
    left = -1;
    for (int i = 0; i < FILES; i++) {
        CHECK(app_inputs_has(name[i]));
        CHECK(!app_outputs_has(name[i]));
        CHECK_STATUS(app_outputs_add(name[i], name[i], &error), XNCC_OK);
        CHECK(app_outputs_has(name[i]));
        (void)unlink(name[i]);
    }
    CHECK(refused > 0);
    CHECK_STATUS(app_outputs_add(name[0], "out.tif", &error), XNCC_ERROR_ARGUMENT); /* is gone */
}

/* A text is whole or NULL. */
static void check_texts(void)
{
    int failed = 0;
    for (long nth = 0; nth < 40; nth++) {
        app_text text;
        FILE *out = app_text_open(&text);
        if (!CHECK(out != NULL))
            return;
        left = nth;
        for (int i = 0; i < 5000; i++)
            (void)fprintf(out, "line %d\n", i);
        char *all = app_text_close(&text);
        failed += !all;
        CHECK(!all == (left < 0)); /* a call failed if, and only if, none was left */
        left = -1;
        if (all) {
            CHECK_INT(text.size, strlen(all));
            CHECK_INT(text.size, 5000 * 6 + 10 + 90 * 2 + 900 * 3 + 4000 * 4);
            CHECK(strncmp(all, "line 0\nline 1\n", 14) == 0);
            CHECK(strcmp(all + text.size - 10, "line 4999\n") == 0);
        }
        free(all);
    }
    CHECK(failed > 1 && failed < 40);
    app_text empty;
    if (CHECK(app_text_open(&empty) != NULL)) {
        char *all = app_text_close(&empty);
        CHECK_TEXT(all, "");
        free(all);
    }
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    check_files();
    check_texts();
    return kit_finish("kept");
}
