/* Cases for problems in which not every pixel need count: images and templates with masks, no-data
 * values, channels and any pixel type, and what their maps must be. */
#ifndef CHECK_JOINT_H
#define CHECK_JOINT_H

#include "check/on_device.h"
#include "kit/oracle_joint.h"

/* Who says that pixels do not count. */
typedef enum joint_masks {
    JOINT_NONE,
    JOINT_PART,    /* the template's mask, or its no-data value */
    JOINT_IMAGE,   /* the image's mask */
    JOINT_NO_DATA, /* the image's no-data value */
    JOINT_BOTH,    /* the template's and the image's, by either or both */
    JOINT_MASKS
} joint_masks;

enum {
    JOINT_CROP = KIT_FILLS, /* template fill: cut out of the image */
    JOINT_HALF,             /* image fill: noise on the left, 0 on the right */
    JOINT_METHODS = 7,
    JOINT_PLACES = 11, /* modes with their borders: valid, same x 5, full x 5 */
    JOINT_COMBINATIONS = JOINT_METHODS * JOINT_PLACES * JOINT_MASKS
};

/* One case. Plain data: the same numbers make the same pixels. */
typedef struct joint_case {
    uint64_t number;
    xncc_pixel pixel;
    int32_t channels, image_width, image_height, width, height;
    xncc_options options; /* kernel is not looked at */
    joint_masks masks;
    int image_fill, part_fill;
} joint_case;

typedef struct joint_subject {
    check_run *run;
    joint_case c;
    kit_random random;
    kit_image image, part;
    xncc_template *template[CHECK_THREAD_COUNTS];
    xncc_problem problem;
    oracle_joint oracle;
    char name[288];
} joint_subject;

/* Sets method, mode, border and masks of combination index (any number; each JOINT_COMBINATIONS in
 * turn are all of them, and each 77 give every method in every place). */
void joint_combine(joint_case *c, uint64_t index);

/* Images, templates, problem and oracle of a case. 0 when a template could not be made, which is a
 * failed check. */
int joint_make(joint_subject *s, check_run *run, const joint_case *c);
void joint_free(joint_subject *s);
/* Another image and another template, or one of them, for the same problem; oracle and name follow.
 * An image can come without a mask where the problem allows one. 0 when no such template was found.
 */
typedef enum joint_what {
    JOINT_OTHER_IMAGE = 1,
    JOINT_OTHER_PART = 2,
    JOINT_BARE_IMAGE = 4
} joint_what;
int joint_change(joint_subject *s, int what);

/* An image filled and masked as c says, and the template's view: cut out of the image or filled. */
kit_image joint_image(const joint_case *c, kit_random *random);
kit_image joint_part(const joint_case *c, const kit_image *image, kit_random *random);

/* The bits that every kernel must give: of the kernel "reference" for floats (which the oracle
 * bounds), of the kernel first for integers (held to the oracle); checked at all elements of a
 * small map and at a sample of a large one. */
kit_map joint_expected(joint_subject *s, const char *first);

/* Pixels that the maps' windows have, all channels counted. */
double joint_work(const joint_case *c);

/* Extents of an image and a template. */
typedef struct joint_sizes {
    int32_t image_width, image_height, width, height;
} joint_sizes;

/* A case of these extents and combination index (joint_combine); what is not crossed is drawn by
 * number. */
joint_case joint_some_case(xncc_pixel pixel, uint64_t number, const joint_sizes *z,
                           int32_t most_channels);

/* Is the case one that mode XNCC_VALID cannot have? */
int joint_is_illegal(const joint_case *c);

/* Matches of xncc_find and of plans used again and again (find), and what is refused (refusals). */
void joint_check_find(check_run *run, xncc_pixel pixel);
void joint_check_refusals(check_run *run);

#endif
