/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of a TIFF page: their type, which of them make a pixel of the picture, and which
 * pixels count. */
#include "tiff_layout.h"

#include "geo.h"

static const char *photometric_name(uint16_t value)
{
    switch (value) {
    case PHOTOMETRIC_MASK: return "transparency mask";
    case PHOTOMETRIC_SEPARATED: return "CMYK";
    case PHOTOMETRIC_YCBCR: return "YCbCr without JPEG compression";
    case PHOTOMETRIC_CIELAB: return "CIE L*a*b*";
    case PHOTOMETRIC_ICCLAB: return "ICC L*a*b*";
    case PHOTOMETRIC_ITULAB: return "ITU L*a*b*";
    case PHOTOMETRIC_CFA: return "colour filter array";
    default: return "unknown";
    }
}

static xncc_status choose_unsigned(tiff_layout *l, app_error *error)
{
    const unsigned bits = l->s.bits;
    if (!app_pixel_find(APP_UNSIGNED, bits == 1 || bits == 2 || bits == 4 ? 8 : bits, &l->s.pixel))
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "BitsPerSample %u of unsigned samples is not supported; convert to 8, 16 "
                        "or 32 bits or to float",
                        l->s.bits);
    return XNCC_OK;
}

static xncc_status choose_pixel(TIFF *tif, tiff_layout *l, app_error *error)
{
    uint16_t format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &l->s.bits);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &format);
    l->s.kind = format == SAMPLEFORMAT_INT      ? APP_SIGNED
                : format == SAMPLEFORMAT_IEEEFP ? APP_FLOAT
                                                : APP_UNSIGNED;
    switch (format) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID: return choose_unsigned(l, error);
    case SAMPLEFORMAT_INT:
        if (l->s.bits != 8 && l->s.bits != 16 && l->s.bits != 32)
            return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                            "BitsPerSample %u of signed samples is not supported; convert to 8, 16 "
                            "or 32 bits or to float",
                            l->s.bits);
        if (!app_pixel_find(APP_SIGNED, l->s.bits, &l->s.pixel))
            l->s.pixel = XNCC_F64;
        return XNCC_OK;
    case SAMPLEFORMAT_IEEEFP:
        if (!app_pixel_find(APP_FLOAT, l->s.bits, &l->s.pixel))
            return app_fail(
                error, XNCC_ERROR_UNSUPPORTED,
                "BitsPerSample %u of float samples is not supported; convert to 32 or 64 bits",
                l->s.bits);
        return XNCC_OK;
    default: break;
    }
    return app_fail(
        error, XNCC_ERROR_UNSUPPORTED,
        "SampleFormat %u (%s) is not supported; convert to 8, 16 or 32 bits or to float", format,
        format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP ? "complex"
                                                                                  : "unknown");
}

/* Of 16-bit entries the upper byte is used. Colour maps that have 8-bit entries by mistake are
 * common, so entries that are all below 256 are used as they are. */
static xncc_status read_palette(TIFF *tif, tiff_layout *l, app_error *error)
{
    uint16_t *map[3];
    if (l->s.bits > 8 || l->s.pixel != XNCC_U8)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "BitsPerSample %u with a palette is not supported; it must be 1, 2, 4 or 8",
                        l->s.bits);
    if (!TIFFGetField(tif, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]) || !map[0] || !map[1] ||
        !map[2])
        return app_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "PhotometricInterpretation 3 (palette) has no ColorMap; the file is damaged");
    unsigned largest = 0;
    const unsigned entries = 1u << l->s.bits;
    for (unsigned i = 0; i < 3 * entries; i++)
        largest = map[i / entries][i % entries] > largest ? map[i / entries][i % entries] : largest;
    const unsigned shift = largest > 255 ? 8 : 0;
    for (unsigned i = 0; i < entries; i++)
        for (int c = 0; c < 3; c++)
            l->s.colour[i][c] = (uint8_t)(map[c][i] >> shift);
    l->s.palette = 1;
    return XNCC_OK;
}

/* Number of samples per pixel that PhotometricInterpretation defines (any others are extra
 * samples); 0: not supported. *first: the first of them to use. */
static unsigned count_colours(const tiff_layout *l, const app_reading *reading, uint16_t *first)
{
    /* libtiff was asked to convert it to RGB */
    const int jpeg_colour = l->photometric == PHOTOMETRIC_YCBCR &&
                            l->compression == COMPRESSION_JPEG;
    *first = 0;
    switch (jpeg_colour ? PHOTOMETRIC_RGB : l->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_PALETTE: return 1;
    case PHOTOMETRIC_MASK: return reading->mask ? 1 : 0;
    case PHOTOMETRIC_LOGLUV:
        *first = 1;
        return l->s.per_pixel == 3 ? 3 : 0; /* X, Y, Z: Y is the luminance */
    case PHOTOMETRIC_RGB: return 3;
    default: return 0;
    }
}

/* The kinds of the samples from `first` on, from the tag ExtraSamples; kind is NULL without the
 * tag. */
typedef struct extras {
    const uint16_t *kind;
    unsigned first;
} extras;

static extras read_extras(TIFF *tif, const tiff_layout *l)
{
    uint16_t count = 0, *kind = NULL;
    if (!TIFFGetField(tif, TIFFTAG_EXTRASAMPLES, &count, &kind) || count > l->s.per_pixel)
        return (extras){ NULL, 0 };
    return (extras){ kind, (unsigned)l->s.per_pixel - count };
}

static int is_alpha(const void *data, unsigned sample)
{
    const extras *e = data;
    if (!e->kind || sample < e->first)
        return 0;
    const uint16_t kind = e->kind[sample - e->first];
    return kind == EXTRASAMPLE_ASSOCALPHA || kind == EXTRASAMPLE_UNASSALPHA;
}

static xncc_status choose_no_data(TIFF *tif, const app_reading *reading, tiff_layout *l,
                                  app_error *error)
{
    char text[64];
    double value = reading->no_data_value;
    int has = reading->no_data == APP_NO_DATA_GIVEN;
    if (reading->no_data == APP_NO_DATA_TAG)
        has = app_no_data_read(tif, &value, text, sizeof text);
    if (has < 0)
        return app_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "GDAL_NODATA \"%s\" is not a number; give --no-data with the right value, or "
            "--no-data none",
            text);
    if (has)
        app_samples_no_data(&l->s, value);
    return XNCC_OK;
}

xncc_status tiff_layout_channels(TIFF *tif, const app_reading *reading, tiff_layout *l,
                                 app_error *error)
{
    uint16_t first;
    const unsigned colours = count_colours(l, reading, &first);
    xncc_status status = choose_pixel(tif, l, error);
    if (status)
        return status;
    if (colours == 0)
        return app_fail(
            error, XNCC_ERROR_UNSUPPORTED,
            "PhotometricInterpretation %u (%s) is not supported; convert to grey or RGB",
            l->photometric, photometric_name(l->photometric));
    if (colours > l->s.per_pixel)
        return app_fail(error, XNCC_ERROR_UNSUPPORTED,
                        "SamplesPerPixel %u with PhotometricInterpretation %u (colour) is not "
                        "supported; it must be at least 3",
                        l->s.per_pixel, l->photometric);
    l->s.invert = l->photometric == PHOTOMETRIC_MINISWHITE;
    if (l->photometric == PHOTOMETRIC_PALETTE)
        status = read_palette(tif, l, error);
    const extras e = read_extras(tif, l);
    const app_pick how = { colours, first, is_alpha, &e };
    if (!status)
        status = app_samples_pick(&l->s, &how, reading->channels, error);
    return status ? status : choose_no_data(tif, reading, l, error);
}
