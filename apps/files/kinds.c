/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats: how files of each begin. */
#include "kinds.h"

#include <string.h>

/* A rule: the bytes at a position. An empty text always fits. */
typedef struct mark {
    size_t at;
    const char *text;
    size_t size;
} mark;

#define MARK(at, text)                                                                             \
    {                                                                                              \
        at, text, sizeof(text) - 1                                                                 \
    }

typedef struct rule {
    app_file_kind kind;
    mark marks[2]; /* all must fit */
} rule;

#ifdef APP_HAVE_PNG
#define PNG_KIND                                                                                   \
    {                                                                                              \
        "a PNG file", &app_png_decoder, NULL                                                       \
    }
#else
#define PNG_KIND                                                                                   \
    {                                                                                              \
        "a PNG file", NULL, "libpng"                                                               \
    }
#endif
#ifdef APP_HAVE_JPEG
#define JPEG_KIND                                                                                  \
    {                                                                                              \
        "a JPEG file", &app_jpeg_decoder, NULL                                                     \
    }
#else
#define JPEG_KIND                                                                                  \
    {                                                                                              \
        "a JPEG file", NULL, "libjpeg-turbo"                                                       \
    }
#endif

static const rule rules[] = {
    { PNG_KIND, { MARK(0, "\x89PNG\r\n\x1a\n") } },
    { JPEG_KIND, { MARK(0, "\xff\xd8\xff") } },
    { { "a BMP file", &app_bmp_decoder, NULL }, { MARK(0, "BM"), MARK(15, "\0\0\0") } },
    { { "an .npy file", &app_npy_decoder, NULL }, { MARK(0, "\x93NUMPY") } },
    { { "a TIFF file", &app_tiff_decoder, NULL }, { MARK(0, "II*\0") } },
    { { "a TIFF file", &app_tiff_decoder, NULL }, { MARK(0, "MM\0*") } },
    { { "a TIFF file", &app_tiff_decoder, NULL }, { MARK(0, "II+\0") } },
    { { "a TIFF file", &app_tiff_decoder, NULL }, { MARK(0, "MM\0+") } },
    { { "a WebP file", NULL, NULL }, { MARK(0, "RIFF"), MARK(8, "WEBP") } },
    { { "an AVI video", NULL, NULL }, { MARK(0, "RIFF"), MARK(8, "AVI ") } },
    { { "a GIF file", NULL, NULL }, { MARK(0, "GIF8") } },
    { { "an AVIF file", NULL, NULL }, { MARK(4, "ftypavi") } },
    { { "a HEIF file", NULL, NULL }, { MARK(4, "ftyphei") } },
    { { "a HEIF file", NULL, NULL }, { MARK(4, "ftypmif1") } },
    { { "a Canon CR3 raw file", NULL, NULL }, { MARK(4, "ftypcrx") } },
    { { "an MP4 or QuickTime video", NULL, NULL }, { MARK(4, "ftyp") } },
    { { "a Matroska or WebM video", NULL, NULL }, { MARK(0, "\x1a\x45\xdf\xa3") } },
    { { "a JPEG 2000 file", NULL, NULL }, { MARK(0, "\0\0\0\x0cjP  \r\n\x87\n") } },
    { { "a JPEG 2000 code stream", NULL, NULL }, { MARK(0, "\xff\x4f\xff\x51") } },
    { { "a JPEG XL file", NULL, NULL }, { MARK(0, "\0\0\0\x0cJXL \r\n\x87\n") } },
    { { "a JPEG XL code stream", NULL, NULL }, { MARK(0, "\xff\x0a") } },
    { { "a JPEG XR file", NULL, NULL }, { MARK(0, "II\xbc\x01") } },
    { { "an OpenEXR file", NULL, NULL }, { MARK(0, "v/1\x01") } },
    { { "a Radiance HDR file", NULL, NULL }, { MARK(0, "#?") } },
    { { "a DICOM file", NULL, NULL }, { MARK(128, "DICM") } },
    { { "a FITS file", NULL, NULL }, { MARK(0, "SIMPLE  =") } },
    { { "a NIfTI file", NULL, NULL }, { MARK(0, "\x5c\x01\0\0") } },
    { { "an HDF5 file", NULL, NULL }, { MARK(0, "\x89HDF\r\n\x1a\n") } },
    { { "a Photoshop file", NULL, NULL }, { MARK(0, "8BPS") } },
    { { "a QOI file", NULL, NULL }, { MARK(0, "qoif") } },
    { { "a DDS file", NULL, NULL }, { MARK(0, "DDS ") } },
    { { "an icon file", NULL, NULL }, { MARK(0, "\0\0\1\0") } },
    { { "a Sun raster file", NULL, NULL }, { MARK(0, "\x59\xa6\x6a\x95") } },
    { { "an SGI image file", NULL, NULL }, { MARK(0, "\x01\xda") } },
    { { "a PFM file", NULL, NULL }, { MARK(0, "PF\n") } },
    { { "a PFM file", NULL, NULL }, { MARK(0, "Pf\n") } },
    { { "a MIFF file", NULL, NULL }, { MARK(0, "id=ImageMagick") } },
    { { "a PDF file", NULL, NULL }, { MARK(0, "%PDF") } },
    { { "a PostScript file", NULL, NULL }, { MARK(0, "%!PS") } },
    { { "an SVG file", NULL, NULL }, { MARK(0, "<svg") } },
    { { "an XML or SVG file", NULL, NULL }, { MARK(0, "<?xml") } },
    { { "an HTML page", NULL, NULL }, { MARK(0, "<!DOCTYPE html") } },
    { { "a ZIP archive, such as an .npz file", NULL, NULL }, { MARK(0, "PK\3\4") } },
    { { "a gzip file", NULL, NULL }, { MARK(0, "\x1f\x8b") } },
    { { "an xz file", NULL, NULL },
      { MARK(0, "\xfd"
                "7zXZ") } },
    { { "a Zstandard file", NULL, NULL }, { MARK(0, "\x28\xb5\x2f\xfd") } },
    { { "a bzip2 file", NULL, NULL }, { MARK(0, "BZh") } },
    { { "an ELF program", NULL, NULL },
      { MARK(0, "\x7f"
                "ELF") } },
};

/* P and a digit 1 .. 7, then white space or a comment. */
static int is_pnm(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
           memchr(" \t\n\v\f\r#", head[2], 7) != NULL;
}

static int fits(const mark *m, const uint8_t *head, size_t size)
{
    return m->size == 0 || (m->at + m->size <= size && memcmp(head + m->at, m->text, m->size) == 0);
}

const app_file_kind *app_file_kind_of(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (fits(&rules[i].marks[0], head, size) && fits(&rules[i].marks[1], head, size))
            return &rules[i].kind;
    static const app_file_kind pnm = { "a PNM file", &app_pnm_decoder, NULL };
    return is_pnm(head, size) ? &pnm : NULL;
}

const char *app_kind_read(size_t i)
{
    static const char *const names[] = { "TIFF",
#ifdef APP_HAVE_PNG
                                         "PNG",
#endif
#ifdef APP_HAVE_JPEG
                                         "JPEG",
#endif
                                         "PNM",  "BMP", ".npy" };
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}
