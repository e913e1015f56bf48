/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the labels of frames go, so that they hide neither each other nor what is framed. */
#ifndef APP_LABELS_H
#define APP_LABELS_H

#include "canvas.h"

#include <stddef.h>

/* A label can be shown in several lengths, the longest first. */
enum { APP_LABEL_FORMS = 3 };

typedef struct app_label {
    app_box frame;                  /* what the label belongs to */
    int64_t width[APP_LABEL_FORMS]; /* of the label in each form */
    int form;                       /* out: the form that was chosen; -1: there is no room */
    int64_t x, y;                   /* out: its top-left corner */
} app_label;

/* Places labels of one height in a picture, each next to its frame. `gap` is the thickness of the
 * frames' lines. The longest form is used with which three quarters of the labels find room without
 * hiding another label or a frame, or the shortest if there is none; a label without room for it
 * has a shorter form. What is left in the shortest form may lie over frames, but never over another
 * label. Earlier labels choose first. Returns 0 if there is no memory. */
int app_labels_place(int64_t width, int64_t height, int64_t label_height, int64_t gap,
                     app_label *labels, size_t count);

#endif
