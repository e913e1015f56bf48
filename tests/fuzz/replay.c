/* SPDX-License-Identifier: BSD-2-Clause */
/* replay FOLDER...: gives every file of the folders to the target. For compilers without libFuzzer.
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static long files;

static int replay(const char *folder, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);
    const size_t size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    const int ok = file && bytes && !ferror(file);
    if (ok) {
        /* a block of its own, so that a sanitizer sees a read behind the end */
        uint8_t *exact = realloc(bytes, size + !size);
        bytes = exact ? exact : bytes;
        files++;
        (void)LLVMFuzzerTestOneInput(bytes, size);
    } else {
        perror(path);
    }
    if (file)
        (void)fclose(file);
    free(bytes);
    return ok;
}

int main(int argc, char **argv)
{
    int ok = 1;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder)
            perror(argv[i]);
        ok = ok && folder;
        for (const struct dirent *e; folder && (e = readdir(folder));)
            if (e->d_name[0] != '.')
                ok = replay(argv[i], e->d_name) && ok;
        if (folder)
            (void)closedir(folder);
    }
    printf("%ld files\n", files);
    return ok && files > 0 ? 0 : 1;
}
