/* Rows of samples as libtiff decodes them (native byte order, packed bits) into rows of the picture. */
#include "tiff_layout.h"

#include <string.h>

enum { CHUNK = 2048 }; /* pixels at a time: the scratch stays small whatever the width */

/* Samples of 1..16 bits as unsigned numbers; signed ones have 32768 added. first and count are pixels, sample the index
 * in a pixel. */
static void gather_integers(const tiff_layout *l, const uint8_t *row, unsigned sample, uint64_t first, size_t count,
                            uint16_t *out)
{
    const uint64_t step = l->separate ? 1 : l->samples;
    const int is_signed = l->format == SAMPLEFORMAT_INT;
    if (l->bits == 16) {
        for (size_t i = 0; i < count; i++) {
            memcpy(&out[i], row + 2 * ((first + i) * step + sample), 2);
            if (is_signed)
                out[i] ^= 0x8000u;
        }
    } else if (l->bits == 8) {
        for (size_t i = 0; i < count; i++) {
            uint8_t v = row[(first + i) * step + sample];
            out[i] = is_signed ? (uint16_t)(32768 + (v ^ 0x80) - 128) : v;
        }
    } else {
        const unsigned mask = (1u << l->bits) - 1, scale = l->palette ? 1 : 255 / mask;
        for (size_t i = 0; i < count; i++) {
            uint64_t bit = ((first + i) * step + sample) * l->bits;
            unsigned v = (unsigned)row[bit >> 3] >> (8 - l->bits - (unsigned)(bit & 7));
            out[i] = (uint16_t)((v & mask) * scale);
        }
    }
}

static void gather_reals(const tiff_layout *l, const uint8_t *row, unsigned sample, uint64_t first, size_t count,
                         double *out)
{
    const uint64_t step = l->separate ? 1 : l->samples;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = (first + i) * step + sample;
        if (l->bits == 32) {
            float f;
            memcpy(&f, row + 4 * index, 4);
            out[i] = f;
        } else {
            memcpy(&out[i], row + 8 * index, 8);
        }
    }
}

static void convert_integers(const tiff_layout *l, const uint8_t *const *row, uint64_t first, size_t count, void *out)
{
    uint16_t v[3][CHUNK];
    for (unsigned c = 0; c < l->channels; c++)
        gather_integers(l, row[l->separate ? c : 0], l->separate ? 0 : l->first + c, first, count, v[c]);
    /* At most 1000 * 65535 + 500: 26 bits. */
    if (l->channels == 3)
        for (size_t i = 0; i < count; i++)
            v[0][i] = (uint16_t)((299u * v[0][i] + 587u * v[1][i] + 114u * v[2][i] + 500u) / 1000u);
    if (l->palette)
        for (size_t i = 0; i < count; i++)
            v[0][i] = l->luma[v[0][i] & 255];
    if (l->invert) {
        const unsigned top = l->sample == APP_U8 ? 255 : 65535;
        for (size_t i = 0; i < count; i++)
            v[0][i] = (uint16_t)(top - v[0][i]);
    }
    if (l->sample == APP_U8) {
        uint8_t *to = (uint8_t *)out + first;
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)v[0][i];
        return;
    }
    if (l->sample == APP_S16)
        for (size_t i = 0; i < count; i++)
            v[0][i] ^= 0x8000u;
    memcpy((uint16_t *)out + first, v[0], count * 2);
}

static void convert_reals(const tiff_layout *l, const uint8_t *const *row, uint64_t first, size_t count, void *out)
{
    double v[3][CHUNK];
    float *to = (float *)out + first;
    for (unsigned c = 0; c < l->channels; c++)
        gather_reals(l, row[l->separate ? c : 0], l->separate ? 0 : l->first + c, first, count, v[c]);
    for (size_t i = 0; i < count; i++) {
        double value = l->channels == 3 ? (299.0 * v[0][i] + 587.0 * v[1][i] + 114.0 * v[2][i]) / 1000.0 : v[0][i];
        to[i] = (float)(l->invert ? -value : value);
    }
}

void tiff_row_convert(const tiff_layout *l, const uint8_t *const *row, uint32_t count, void *out)
{
    const size_t size = app_sample_size(l->sample);
    if (l->channels == 1 && !l->invert && !l->palette && l->bits == 8 * size && (l->separate || l->samples == 1)) {
        memcpy(out, row[0], count * size);
        return;
    }
    for (uint64_t first = 0; first < count; first += CHUNK) {
        size_t part = count - first < CHUNK ? (size_t)(count - first) : CHUNK;
        if (l->sample == APP_F32)
            convert_reals(l, row, first, part, out);
        else
            convert_integers(l, row, first, part, out);
    }
}
