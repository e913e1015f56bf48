/* SPDX-License-Identifier: BSD-2-Clause */
/* The colour scale of heat maps. */
#ifndef APP_COLOUR_SCALE_H
#define APP_COLOUR_SCALE_H

enum { APP_SCALE_STEPS = 256 };

/* The colours from bad to good, three bytes (sRGB) each. They lie on a helix of CIELAB (CIE 15,
 * white D65): the lightness L* climbs from 16 to 94 while (a*, b*) walks on a circle with centre
 * (12, 20) and radius 57 from -88 to 134 degrees, from violet through red and orange to yellow,
 * both in equal steps. So each step is the same difference of lightness and of colour, and the
 * scale can be read in grey and with any colour vision. */
void app_scale_fill(unsigned char scale[APP_SCALE_STEPS][3]);

#endif
