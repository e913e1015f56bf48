/* SPDX-License-Identifier: BSD-2-Clause */
/* How a heat map is drawn. */
#ifndef APP_HEAT_LOOK_H
#define APP_HEAT_LOOK_H

typedef struct app_heat_look {
    double blend;  /* 1: the colours alone; below 1: over the scene in grey, 0 leaves the scene */
    int has_range; /* 1: low and high are given */
    double low, high; /* the scores at the ends of the scale, low < high */
    int plain;        /* 1: the picture has the extents of the scene, and no colour bar */
} app_heat_look;

#endif
