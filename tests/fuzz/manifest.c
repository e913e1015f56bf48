/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole commands over files that earlier processes have left or users have written: manifests,
 * their journals, and parts of shards for `join`. The first byte says which. What follows is two
 * texts with a zero byte between: a manifest, and what a journal or part has.
 *
 * A manifest names files to read and to write, so every input works in a folder of its own, which
 * is removed afterwards, and names with a slash are left out. */
#define _GNU_SOURCE /* memmem, O_PATH */
#include "commands.h"
#include "fuzz/fuzz.h"
#include "tool_options.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST_FILE = 4 << 20, /* of what a command writes */
    LONGEST_INPUT = 4096
};

/* The folder of an input. Its parent has nothing else, so ".." is harmless, too. */
static char parent[40], place[48];
static int left_folder = -1; /* where the process was */

static void must(int done, const char *what)
{
    if (done)
        return;
    perror(what);
    exit(2);
}

/* All inputs have the same age, so that the digest of a command does not change. */
static void write_file(const char *name, const void *bytes, size_t size)
{
    const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && futimens(fd, old) == 0, name);
    (void)close(fd);
}

static int is_unchanged(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 && info.st_mtim.tv_sec == 1000000000;
}

/* A PNM of W x H pixels of noise and a ramp; bytes per pixel: 1, 2, or 3 for colour. */
static void write_picture(const char *name, int width, int height, int bytes)
{
    uint8_t file[4096];
    int used = snprintf((char *)file, sizeof file, "P%d %d %d %d\n", bytes == 3 ? 6 : 5, width,
                        height, bytes == 2 ? 65535 : 255);
    uint32_t noise = 1;
    for (int i = 0; i < width * height * bytes; i++) {
        noise = noise * 1664525 + 1013904223;
        file[used++] = (uint8_t)((noise >> 26) + (uint32_t)(3 * (i % width)));
    }
    write_file(name, file, (size_t)used);
}

static void enter(void)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(parent, sizeof parent, "%s/exactncc-fuzz-XXXXXX", memory);
    must(mkdtemp(parent) != NULL, parent);
    (void)snprintf(place, sizeof place, "%s/in", parent);
    must(mkdir(place, 0777) == 0, place);
    left_folder = open(".", O_PATH | O_CLOEXEC);
    must(left_folder >= 0 && chdir(place) == 0, place);
    write_picture("a.pgm", 24, 16, 1);
    write_picture("b.pgm", 15, 17, 2);
    write_picture("c.ppm", 16, 12, 3);
    write_picture("t.pgm", 5, 4, 1);
    write_picture("u.pgm", 6, 5, 2);
}

/* How many files the folder has; removes them if asked to. */
static int count_files(int remove_them)
{
    int count = 0;
    DIR *folder = opendir(".");
    must(folder != NULL, place);
    for (const struct dirent *e; (e = readdir(folder));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        count++;
        if (remove_them)
            (void)unlink(e->d_name);
    }
    (void)closedir(folder);
    return count;
}

static void leave(void)
{
    (void)count_files(1);
    must(fchdir(left_folder) == 0, "the folder before");
    (void)close(left_folder);
    must(rmdir(place) == 0 && rmdir(parent) == 0, place);
}

/* Reads a whole file; NULL if there is none. The caller frees it. */
static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = file ? malloc(LONGEST_FILE) : NULL;
    *size = bytes ? fread(bytes, 1, LONGEST_FILE, file) : 0;
    if (file)
        (void)fclose(file);
    return bytes;
}

/* Does a command as the program does. words: with blanks between. */
static xncc_status run(unsigned command, const char *words,
                       xncc_status (*app)(const app_options *, app_error *))
{
    char text[160], *word[24], *at = text;
    int count = 0;
    app_options options;
    app_error error = { .text = "" };
    (void)snprintf(text, sizeof text, "%s", words);
    for (char *next; (next = strtok_r(at, " ", &at));)
        word[count++] = next;
    word[count] = NULL;
    const struct rlimit most = { LONGEST_FILE, RLIM_INFINITY };
    struct rlimit before;
    must(getrlimit(RLIMIT_FSIZE, &before) == 0 && setrlimit(RLIMIT_FSIZE, &most) == 0, "limits");
    FUZZ_HOLDS(tool_options_parse(command, "exactncc", count, word, &options, &error) == APP_RUN);
    fuzz_quiet(1);
    const xncc_status status = app(&options, &error);
    fuzz_quiet(0);
    tool_options_close(&options);
    (void)setrlimit(RLIMIT_FSIZE, &before);
    char line[4 * APP_ERROR_SIZE]; /* words are printed without their control characters */
    fuzz_check_failure(status, app_printable(error.text, line, sizeof line));
    return status;
}

static xncc_status search(const char *words)
{
    return run(APP_FIND, words, app_find_or_manifest);
}

/* What a shard has done up to a moment is never lost and never done twice: it is killed, goes on,
 * and the joined result is that of one process. No item may have written a file beside the result:
 * the second time it would read that. */
static void shard_goes_on(const uint8_t *data, size_t size)
{
    enum { INPUTS = 6, OUTPUTS = 1 };
    (void)search("find -q --threads 1 --manifest list.csv -o all.csv --shard 1/1");
    size_t whole_size, size_of_part, joined_size;
    uint8_t *part = read_file("all.csv.1-of-1", &size_of_part);
    (void)run(APP_JOIN, "join all.csv.1-of-1 -q", app_join);
    uint8_t *whole = read_file("all.csv", &whole_size);
    const int alone = count_files(0) == INPUTS + (part != NULL) + (whole != NULL) &&
                      is_unchanged("a.pgm") && is_unchanged("b.pgm") && is_unchanged("c.ppm") &&
                      is_unchanged("t.pgm") && is_unchanged("u.pgm") && is_unchanged("list.csv");
    fuzz_bytes bytes = { data, size };
    const size_t kept = size_of_part ? fuzz_word(&bytes) % (size_of_part + 1) : 0;
    if (part && alone) {
        must(truncate("all.csv.1-of-1", (off_t)kept) == 0, "all.csv.1-of-1");
        (void)unlink("all.csv");
        (void)search("find -q --threads 1 --manifest list.csv -o all.csv --shard 1/1");
        (void)run(APP_JOIN, "join all.csv.1-of-1 -q", app_join);
        uint8_t *joined = read_file("all.csv", &joined_size);
        FUZZ_HOLDS((joined != NULL) == (whole != NULL));
        FUZZ_HOLDS(!whole || (joined_size == whole_size && !memcmp(joined, whole, whole_size)));
        free(joined);
    }
    free(whole);
    free(part);
}

/* A part that was damaged: some of its bytes are others. */
static void join_damaged(const uint8_t *data, size_t size)
{
    size_t size_of_part;
    (void)search("find -q --threads 1 --manifest list.csv -o all.csv --shard 1/1");
    uint8_t *part = read_file("all.csv.1-of-1", &size_of_part);
    fuzz_bytes bytes = { data, size };
    const size_t at = size_of_part ? fuzz_word(&bytes) % size_of_part : 0;
    const size_t length = bytes.left < size_of_part - at ? bytes.left : size_of_part - at;
    if (part && length) {
        memcpy(part + at, bytes.at, length);
        if (!memmem(part, size_of_part, "%2F", 3))
            write_file("all.csv.1-of-1", part, size_of_part);
    }
    if (part)
        (void)run(APP_JOIN, "join all.csv.1-of-1", app_join);
    free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    const unsigned kind = fuzz_below(&bytes, 5);
    if (size > LONGEST_INPUT || memchr(data, '/', size) || memmem(data, size, "%2F", 3))
        return 0;
    (void)signal(SIGXFSZ, SIG_IGN);
    const uint8_t *end = bytes.left ? memchr(bytes.at, 0, bytes.left) : NULL;
    const size_t length = end ? (size_t)(end - bytes.at) : bytes.left;
    const uint8_t *more = bytes.at + length + (end != NULL);
    const size_t more_size = bytes.left - length - (end != NULL);
    enter();
    write_file("list.csv", bytes.at, length);
    switch (kind) {
    case 0: (void)search("find --threads 1 --manifest list.csv -o all.csv"); break;
    case 1: (void)search("find -q --threads 1 --manifest list.csv -o all.jsonl"); break;
    case 2: shard_goes_on(more, more_size); break;
    case 3: join_damaged(more, more_size); break;
    default:
        write_file("part", more, more_size);
        (void)run(APP_JOIN, "join part -o joined.csv", app_join);
        (void)run(APP_JOIN, "join part", app_join);
    }
    leave();
    return 0;
}
