/* Cases for problems in which not every pixel need count: images and templates with masks, no-data
 * values, channels and any pixel type, and what their maps must be. */
#ifndef CHECK_GENERAL_H
#define CHECK_GENERAL_H

#include "check/on_device.h"
#include "kit/oracle_general.h"

/* Who says that pixels do not count. */
typedef enum general_masks {
    GENERAL_NONE,
    GENERAL_TEMPL,   /* the template's mask, or its no-data value */
    GENERAL_IMAGE,   /* the image's mask */
    GENERAL_NO_DATA, /* the image's no-data value */
    GENERAL_BOTH,    /* the template's and the image's, by either or both */
    GENERAL_MASKS
} general_masks;

enum {
    GENERAL_CROP = KIT_FILLS, /* template fill: cut out of the image */
    GENERAL_HALF,             /* image fill: noise on the left, 0 on the right */
    GENERAL_METHODS = 7,
    GENERAL_PLACES = 11, /* modes with their borders: valid, same x 5, full x 5 */
    GENERAL_COMBINATIONS = GENERAL_METHODS * GENERAL_PLACES * GENERAL_MASKS
};

/* One case. Plain data: the same numbers make the same pixels. */
typedef struct general_case {
    uint64_t number;
    xncc_pixel pixel;
    int32_t channels, image_width, image_height, width, height;
    xncc_options options; /* kernel is not looked at */
    general_masks masks;
    int image_fill, part_fill;
} general_case;

typedef struct general_subject {
    check_run *run;
    general_case c;
    kit_random random;
    kit_image image, templ;
    xncc_template *template[CHECK_THREAD_COUNTS];
    xncc_problem problem;
    oracle_general oracle;
    char name[288];
} general_subject;

/* Sets method, mode, border and masks of combination index (any number; each GENERAL_COMBINATIONS
 * in turn are all of them, and each 77 give every method in every place). */
void general_combine(general_case *c, uint64_t index);

/* Images, templates, problem and oracle of a case. 0 when a template could not be made, which is a
 * failed check. */
int general_make(general_subject *s, check_run *run, const general_case *c);
void general_free(general_subject *s);
/* Another image and another template, or one of them, for the same problem; oracle and name follow.
 * An image can come without a mask where the problem allows one. 0 when no such template was found.
 */
typedef enum general_what {
    GENERAL_OTHER_IMAGE = 1,
    GENERAL_OTHER_TEMPL = 2,
    GENERAL_BARE_IMAGE = 4
} general_what;
int general_change(general_subject *s, int what);

/* An image filled and masked as c says, and the template's view: cut out of the image or filled. */
kit_image general_image(const general_case *c, kit_random *random);
kit_image general_templ(const general_case *c, const kit_image *image, kit_random *random);

/* The bits that every kernel must give: of the kernel "reference" for floats (which the oracle
 * bounds), of the kernel first for integers (held to the oracle); checked at all elements of a
 * small map and at a sample of a large one. */
kit_map general_expected(general_subject *s, const char *first);

/* Pixels that the maps' windows have, all channels counted. */
double general_work(const general_case *c);

/* Extents of an image and a template. */
typedef struct general_sizes {
    int32_t image_width, image_height, width, height;
} general_sizes;

/* A case of these extents and combination index (general_combine); what is not crossed is drawn by
 * number. */
general_case general_some_case(xncc_pixel pixel, uint64_t number, const general_sizes *z,
                               int32_t most_channels);

/* Is the case one that mode XNCC_VALID cannot have? */
int general_is_illegal(const general_case *c);

/* Matches of xncc_find and of plans used again and again (find), and what is refused (refusals). */
void general_check_find(check_run *run, xncc_pixel pixel);
void general_check_refusals(check_run *run);

#endif
