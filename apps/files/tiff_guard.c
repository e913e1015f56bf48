/* A check of streams that contain their own picture size. libtiff passes them to the codec
 * unchecked, and a few wrong bits make the codec allocate and fill gigabytes before libtiff
 * compares the result with the tags. So the header of the stream is checked first. */
#include "tiff_layout.h"

#include <string.h>

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* ITU-T T.82, 6.6.2: DL, D, P, a fill byte, XD, YD, L0, MX, MY, order, options. */
static int jbig_header_fits(const uint8_t *b, uint32_t width, uint32_t height)
{
    enum { LAYERS = 8 };
    return b[0] <= b[1] && b[1] <= LAYERS && b[2] == 1 && big_endian(b + 4) == width &&
           big_endian(b + 8) == height;
}

int tiff_guard_segment(TIFF *tif, const tiff_layout *l, uint32_t segment, uint32_t rows)
{
    enum { HEADER = 20 };
    uint8_t header[HEADER];
    uint16_t order = FILLORDER_MSB2LSB;
    if (l->compression != COMPRESSION_JBIG)
        return 1;
    tmsize_t got = l->tiled ? TIFFReadRawTile(tif, segment, header, HEADER)
                            : TIFFReadRawStrip(tif, segment, header, HEADER);
    if (got != HEADER)
        return 0;
    /* libtiff reverses the bits of the stream if the fill order is the usual one. */
    TIFFGetFieldDefaulted(tif, TIFFTAG_FILLORDER, &order);
    if (order == FILLORDER_MSB2LSB)
        TIFFReverseBits(header, HEADER);
    return jbig_header_fits(header, l->segment_width, rows);
}
