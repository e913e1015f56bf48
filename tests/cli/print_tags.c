/* SPDX-License-Identifier: BSD-2-Clause */
/* print_tags FILE: prints the geo tags and the no-data tag of the first page, one per line. */
#include <stdio.h>
#include <tiffio.h>

int main(int argc, char **argv)
{
    static const uint32_t tags[] = { 33550, 33922, 34264, 34735, 34736, 34737, 42113 };
    TIFFSetWarningHandler(NULL);
    TIFF *tif = argc == 2 ? TIFFOpen(argv[1], "r") : NULL;
    if (!tif)
        return 1;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        uint32_t count = 0;
        const void *data = NULL;
        const TIFFField *field = TIFFFindField(tif, tags[i], TIFF_ANY);
        if (!field || !TIFFGetField(tif, tags[i], &count, &data) || !data)
            continue;
        const TIFFDataType type = TIFFFieldDataType(field);
        printf("%u", tags[i]);
        for (uint32_t k = 0; k < count && type == TIFF_DOUBLE; k++)
            printf(" %.17g", ((const double *)data)[k]);
        for (uint32_t k = 0; k < count && type == TIFF_SHORT; k++)
            printf(" %u", ((const uint16_t *)data)[k]);
        if (type == TIFF_ASCII)
            printf(" %.*s", (int)count, (const char *)data);
        putchar('\n');
    }
    TIFFClose(tif);
    return 0;
}
