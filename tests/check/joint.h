/* Cases for problems in which not every pixel need count: images and templates with masks, no-data values, channels and any pixel type, and what
 * their maps must be. */
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
    JOINT_METHODS = 7,
    JOINT_PLACES = 11,      /* modes with their borders: valid, same x 5, full x 5 */
    JOINT_COMBINATIONS = JOINT_METHODS * JOINT_PLACES * JOINT_MASKS
};

/* One case. Plain data: the same numbers make the same pixels. */
typedef struct joint_case {
    uint64_t number;
    cm_pixel pixel;
    int32_t channels, image_width, image_height, width, height;
    cm_options options; /* kernel is not looked at */
    joint_masks masks;
    int image_fill, part_fill;
} joint_case;

typedef struct joint_subject {
    check_run *run;
    joint_case c;
    kit_random random;
    kit_image image, part;
    cm_template *template[CHECK_THREAD_COUNTS];
    cm_problem problem;
    oracle_joint oracle;
    char name[288];
} joint_subject;

/* Sets method, mode, border and masks of combination index (any number; each JOINT_COMBINATIONS in turn are all of them, and each 77
 * give every method in every place). */
void joint_combine(joint_case *c, uint64_t index);

/* Images, templates, problem and oracle of a case. 0 when a template could not be made, which is a failed check. */
int joint_make(joint_subject *s, check_run *run, const joint_case *c);
void joint_free(joint_subject *s);

/* An image filled and masked as c says, and the template's view: cut out of the image or filled. */
kit_image joint_image(const joint_case *c, kit_random *random);
kit_image joint_part(const joint_case *c, const kit_image *image, kit_random *random);

/* The bits that every kernel must give: of the kernel "reference" for floats (which the oracle bounds), of the kernel first for integers
 * (held to the oracle); checked at all elements of a small map and at a sample of a large one. */
kit_map joint_expected(joint_subject *s, const char *first);

/* Pixels that the maps' windows have, all channels counted. */
double joint_work(const joint_case *c);

#endif
