/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases for problems in which some pixels may not count: images and templates with masks, no-data
 * values, several channels and any pixel type, and their expected maps. */
#ifndef CHECK_GENERAL_H
#define CHECK_GENERAL_H

#include "check/on_device.h"
#include "kit/oracle_general.h"

/* What marks pixels as not counting. */
typedef enum general_masks {
    GENERAL_NONE,
    GENERAL_TEMPL,   /* the template's mask or its no-data value */
    GENERAL_IMAGE,   /* the image's mask */
    GENERAL_NO_DATA, /* the image's no-data value */
    GENERAL_BOTH,    /* marks in both template and image, each by a mask, a no-data value or both */
    GENERAL_MASKS
} general_masks;

enum {
    GENERAL_CROP = KIT_FILLS, /* template fill: a crop of the image */
    GENERAL_HALF,             /* image fill: noise on the left, 0 on the right */
    GENERAL_METHODS = 7,
    GENERAL_PLACES = 11, /* modes with their borders: valid, 5 x same, 5 x full */
    GENERAL_COMBINATIONS = GENERAL_METHODS * GENERAL_PLACES * GENERAL_MASKS
};

/* One case. Plain data: the same numbers produce the same pixels. */
typedef struct general_case {
    uint64_t number;
    xncc_pixel pixel;
    int32_t channels, image_width, image_height, width, height;
    kit_options options; /* kernel is ignored */
    general_masks masks;
    int image_fill, templ_fill;
} general_case;

typedef struct general_subject {
    check_run *run;
    general_case c;
    kit_random random;
    kit_image image, templ;
    xncc_template *prepared[CHECK_THREAD_COUNTS];
    xncc_problem problem;
    oracle_general oracle;
    char name[288];
} general_subject;

/* Sets method, mode, border and masks of combination `index`. Any number is allowed: any
 * GENERAL_COMBINATIONS consecutive numbers are all combinations, and any 77 are every method in
 * every place. */
void general_combine(general_case *c, uint64_t index);

/* Creates the images, templates, problem and oracle of a case. Returns 0, after a failed check, if
 * a template could not be created. */
int general_make(general_subject *s, check_run *run, const general_case *c);
void general_free(general_subject *s);
/* Replaces the image, the template, or both, for the same problem; the oracle and the name follow.
 * An image may come without a mask if the problem allows one. Returns 0 if no such template was
 * found. */
typedef enum general_what {
    GENERAL_OTHER_IMAGE = 1,
    GENERAL_OTHER_TEMPL = 2,
    GENERAL_UNMASKED_IMAGE = 4
} general_what;
int general_change(general_subject *s, int what);

/* Writes the name of the subject, which describes its case. */
void general_name(general_subject *s);

/* Creates an image, filled and masked as c says, or a template (a crop of the image, or filled). */
kit_image general_image(const general_case *c, kit_random *random);
kit_image general_templ(const general_case *c, const kit_image *image, kit_random *random);

/* Returns the bits that every kernel must produce. For floats they are those of the kernel
 * "reference", which the oracle bounds; for integers those of the kernel `first`, compared with the
 * oracle. All elements of a small map are checked, and a sample of a large one. */
kit_map general_expected(general_subject *s, const char *first);

/* Compares one element of a map with the oracle of the subject: integers bit for bit, floats by the
 * oracle's bound. */
void general_check_element(const general_subject *s, const xncc_map *map, int32_t x, int32_t y);

/* Returns the number of pixels in all windows of the map, times the channels. */
double general_work(const general_case *c);

/* Sizes of an image and a template. */
typedef struct general_sizes {
    int32_t image_width, image_height, width, height;
} general_sizes;

/* Returns a case of these sizes and combination `number` (general_combine). What is not combined is
 * drawn at random from `number`. */
general_case general_some_case(xncc_pixel pixel, uint64_t number, const general_sizes *z,
                               int32_t most_channels);

/* Is the case illegal in mode XNCC_VALID? */
int general_is_illegal(const general_case *c);

/* Check the matches of xncc_find and of plans that are used repeatedly (general_check_find), the
 * matches at widths that the tensor kernels have searches of their own for, for bytes and two bytes
 * (general_check_find_widths), and what is refused (general_check_refusals). */
void general_check_find(check_run *run, xncc_pixel pixel);
void general_check_find_widths(check_run *run, xncc_pixel pixel);
void general_check_refusals(check_run *run);

#endif
