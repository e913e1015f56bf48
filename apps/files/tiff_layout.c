/* SPDX-License-Identifier: BSD-2-Clause */
/* The tags of a page: what they mean to the reader, and which pages it refuses. */
#include "tiff_layout.h"

#include "exactncc/image.h"

#include <stdio.h>
#include <string.h>

/* Bytes: a larger strip is decoded line by line, if the codec can do that. In bands, also one that
 * takes more than an eighth of the memory. */
static const uint64_t line_threshold = 8u << 20;

static xncc_status check_tags(const tiff_layout *l, uint16_t planar, app_error *error)
{
    if (l->width == 0 || l->height == 0 || l->width > XNCC_MAX_SIDE || l->height > XNCC_MAX_SIDE)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "ImageWidth %u and ImageLength %u: each must be 1 .. %d", l->width,
                        l->height, XNCC_MAX_SIDE);
    if (!TIFFIsCODECConfigured(l->compression)) {
        const TIFFCodec *codec = TIFFFindCODEC(l->compression);
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "Compression %u (%s) is not built into this libtiff; store the picture "
                        "with another compression",
                        l->compression, codec ? codec->name : "unknown");
    }
    if (l->compression == COMPRESSION_OJPEG)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "Compression 6 (old-style JPEG) is not supported; store the picture with "
                        "another compression");
    if (planar != PLANARCONFIG_CONTIG && planar != PLANARCONFIG_SEPARATE)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "PlanarConfiguration %u is not supported; it must be 1 or 2", planar);
    if (l->s.per_pixel == 0)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "SamplesPerPixel 0 is not supported");
    return XNCC_OK;
}

/* The sizes of strips or tiles, from libtiff itself: that is how much it writes into a buffer. */
static xncc_status measure_segments(TIFF *tif, const app_reading *reading, tiff_layout *l,
                                    app_error *error)
{
    const uint64_t share = reading->bands ? reading->max_memory / 8 : line_threshold;
    if (l->tiled) {
        if (!TIFFGetField(tif, TIFFTAG_TILEWIDTH, &l->segment_width) ||
            !TIFFGetField(tif, TIFFTAG_TILELENGTH, &l->segment_height))
            return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                            "TileWidth or TileLength is missing; the file is damaged");
        l->segment_bytes = TIFFTileSize64(tif);
        l->row_bytes = TIFFTileRowSize64(tif);
    } else {
        TIFFGetFieldDefaulted(tif, TIFFTAG_ROWSPERSTRIP, &l->segment_height);
        if (l->segment_height > l->height)
            l->segment_height = l->height;
        l->segment_width = l->width;
        l->segment_bytes = TIFFVStripSize64(tif, l->segment_height);
        l->row_bytes = TIFFScanlineSize64(tif);
    }
    if (l->segment_width == 0 || l->segment_height == 0 || l->segment_bytes == 0 ||
        l->row_bytes == 0)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%s of %u x %u pixels cannot be read; the file is damaged",
                        l->tiled ? "tiles" : "strips", l->segment_width, l->segment_height);
    /* tiff_row_convert reads this many bits per row, and segment_height rows. */
    uint64_t bits = (uint64_t)l->segment_width * (l->s.separate ? 1 : l->s.per_pixel) * l->s.bits;
    if (l->row_bytes < (bits + 7) / 8 || l->segment_bytes / l->row_bytes < l->segment_height)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "%s of %u x %u pixels have fewer bytes than pixels; the file is damaged",
                        l->tiled ? "tiles" : "strips", l->segment_width, l->segment_height);
    l->by_line = !l->tiled && l->planes == 1 &&
                 l->segment_bytes > (share < line_threshold ? share : line_threshold) &&
                 l->compression != COMPRESSION_JBIG;
    return XNCC_OK;
}

xncc_status tiff_layout_hidden(TIFF *tif, const tiff_layout *l, int colours, int predictor,
                               app_error *error)
{
    uint32_t depth = 1;
    if (colours == PHOTOMETRIC_PALETTE && l->photometric != PHOTOMETRIC_PALETTE)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "PhotometricInterpretation 3 (palette) has no ColorMap, or one of another "
                        "length; the file is damaged");
    if (l->compression == COMPRESSION_PACKBITS && predictor > PREDICTOR_NONE)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "Predictor %d with Compression 32773 (PackBits) is not supported; store "
                        "the picture without the predictor",
                        predictor);
    if (TIFFGetField(tif, TIFFTAG_IMAGEDEPTH, &depth) && depth != 1)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "ImageDepth %u is not supported; store the slices as pages", depth);
    return XNCC_OK;
}

xncc_status tiff_layout_read(TIFF *tif, const app_reading *reading, tiff_layout *l,
                             app_error *error)
{
    uint16_t planar = PLANARCONFIG_CONTIG;
    uint32_t subfile = 0;
    memset(l, 0, sizeof *l);
    TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &l->width);
    TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &l->height);
    TIFFGetFieldDefaulted(tif, TIFFTAG_COMPRESSION, &l->compression);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &l->s.per_pixel);
    TIFFGetFieldDefaulted(tif, TIFFTAG_PLANARCONFIG, &planar);
    if (TIFFGetField(tif, TIFFTAG_SUBFILETYPE, &subfile))
        l->subfile = (uint16_t)(subfile & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK));
    /* Without the tag, the number of samples decides. */
    if (!TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &l->photometric))
        l->photometric = l->s.per_pixel >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    xncc_status status = check_tags(l, planar, error);
    if (status)
        return status;
    if (l->compression == COMPRESSION_JPEG && l->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (l->photometric == PHOTOMETRIC_LOGL || l->photometric == PHOTOMETRIC_LOGLUV) {
        if (l->compression != COMPRESSION_SGILOG && l->compression != COMPRESSION_SGILOG24)
            return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                            "PhotometricInterpretation %u (LogLuv) with Compression %u is not "
                            "supported; convert to grey or RGB",
                            l->photometric, l->compression);
        TIFFSetField(tif, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT);
    }
    l->tiled = TIFFIsTiled(tif);
    l->s.separate = planar == PLANARCONFIG_SEPARATE;
    /* After the codecs are configured, because that changes bits and format of the samples. */
    status = tiff_layout_channels(tif, reading, l, error);
    if (status)
        return status;
    l->planes = l->s.separate ? l->s.picked : 1;
    return measure_segments(tif, reading, l, error);
}

/* The most bytes of packed pixels that one byte of a file can encode. Deflate's limit is 1032,
 * LZW's about 1370 to 2730, PackBits' 64; blank lines of CCITT and blank blocks of Zstandard, LZMA,
 * LERC and WebP take almost nothing. */
static uint64_t most_packed(uint16_t compression)
{
    switch (compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64;
    case COMPRESSION_LZW: return 4096;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE: return 1040;
    default: return 100000;
    }
}

xncc_status tiff_layout_check(const tiff_layout *l, uint64_t file_size, const app_reading *limits,
                              app_error *error)
{
    /* width < 2^31, samples < 2^16 and bits < 2^7, so this product is below 2^54. */
    const uint64_t row = ((uint64_t)l->width * l->s.per_pixel * l->s.bits + 7) / 8;
    uint64_t packed;
    /* bytes per pixel of the picture: at most 64 samples of 8 bytes, and a byte of mask */
    app_need need = { .width = l->width,
                      .height = l->height,
                      .pixel = l->s.channels * (uint64_t)xncc_pixel_size(l->s.pixel) +
                               (app_samples_masked(&l->s) ? 1u : 0u),
                      .file_size = file_size,
                      .most = most_packed(l->compression) };
    if (__builtin_mul_overflow(row, (uint64_t)l->height, &packed) ||
        __builtin_mul_overflow(l->by_line ? l->row_bytes : l->segment_bytes, (uint64_t)l->planes,
                               &need.buffers))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED, "%u x %u pixels of %u samples are too large",
                        l->width, l->height, l->s.per_pixel);
    need.claim = packed > need.buffers ? packed : need.buffers;
    return app_need_check(&need, limits, error);
}
