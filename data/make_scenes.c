/* Creates the scenes of this directory, their templates and the true places, or compares them with
 * the files that are there. SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage:
 * - make_scenes DIRECTORY writes the files.
 * - make_scenes --check DIRECTORY exits with 0 if the pixels and truth.csv there are the same as
 *   those that it would write.
 *
 * Integer arithmetic only, so that the pixels are the same on every machine. */
#include "scene_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    int x, y;
} place;

/* xorshift64* (Vigna, 2014). */
static uint64_t state;

static unsigned next_random(unsigned limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * 2685821657736338717u) >> 33) % limit;
}

/* Nearly Gaussian, standard deviation about 0.58 * amplitude. */
static int noise(int amplitude)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (int)next_random(2u * (unsigned)amplitude + 1) - amplitude;
    return sum / 2;
}

static canvas new_canvas(int width, int height, int bits)
{
    canvas c = { width, height, bits, calloc((size_t)width * (size_t)height, sizeof(uint16_t)) };
    if (!c.value) {
        fprintf(stderr, "make_scenes: out of memory\n");
        exit(1);
    }
    return c;
}

static void set_clamped(const canvas *c, int x, int y, int value)
{
    const int top = c->bits == 8 ? 255 : 65535;
    if (x >= 0 && y >= 0 && x < c->width && y < c->height)
        *canvas_at(c, x, y) = (uint16_t)(value < 0 ? 0 : value > top ? top : value);
}

static void fill_rectangle(const canvas *c, int x0, int y0, int width, int height, int value)
{
    for (int y = y0; y < y0 + height; y++)
        for (int x = x0; x < x0 + width; x++)
            set_clamped(c, x, y, value);
}

/* Returns how many of the 16 sample points of pixel (dx, dy) are within the radius (in quarter
 * pixels) of the centre of pixel (0, 0). */
static int disc_cover(int dx, int dy, int radius4)
{
    int count = 0;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            /* in eighths of a pixel, from the centre */
            int x = 8 * dx - 3 + 2 * i, y = 8 * dy - 3 + 2 * j;
            count += x * x + y * y <= 4 * radius4 * radius4;
        }
    return count;
}

static void fill_disc(const canvas *c, int x0, int y0, int radius4, int value)
{
    const int reach = radius4 / 4 + 1;
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            int x = x0 + dx, y = y0 + dy, cover = disc_cover(dx, dy, radius4);
            if (cover > 0 && x >= 0 && y >= 0 && x < c->width && y < c->height)
                set_clamped(c, x, y, (*canvas_at(c, x, y) * (16 - cover) + value * cover + 8) / 16);
        }
}

/* The circuit board. */

enum { FIDUCIAL = 29, BOARD_WIDTH = 480, BOARD_HEIGHT = 360 };

/* A copper dot in a clearing of the solder mask. */
static void draw_fiducial(const canvas *c, int x, int y)
{
    fill_disc(c, x, y, 4 * 12, 46);
    fill_disc(c, x, y, 4 * 5 + 2, 214);
}

static void draw_via(const canvas *c, int x, int y)
{
    fill_disc(c, x, y, 4 * 5, 176);
    fill_disc(c, x, y, 4 * 2, 40);
}

static void draw_chip(const canvas *c, int x, int y, int width, int height)
{
    for (int i = 4; i + 5 < width; i += 9) {
        fill_rectangle(c, x + i, y - 6, 5, height + 12, 196);
    }
    fill_rectangle(c, x, y, width, height, 34);
    fill_disc(c, x + 7, y + height - 7, 4 * 2, 60);
}

static void draw_trace(const canvas *c, int x, int y, int across, int down)
{
    fill_rectangle(c, x, y, across, 3, 112);
    fill_rectangle(c, x + across, y, 3, down, 112);
    draw_via(c, x, y + 1);
    draw_via(c, x + across + 1, y + down);
}

static canvas make_board(const place *fiducial, int count)
{
    canvas c = new_canvas(BOARD_WIDTH, BOARD_HEIGHT, 8);
    fill_rectangle(&c, 0, 0, c.width, c.height, 84);
    for (int i = 0; i < 26; i++) {
        int x = 20 + (int)next_random(380), y = 20 + (int)next_random(260);
        /* one after the other: compilers take the arguments of a call in different orders */
        const int down = 10 + (int)next_random(60), across = 15 + (int)next_random(60);
        draw_trace(&c, x, y, across, down);
    }
    draw_chip(&c, 90, 70, 110, 60);
    draw_chip(&c, 280, 60, 74, 74);
    draw_chip(&c, 130, 220, 56, 40);
    draw_chip(&c, 300, 210, 92, 66);
    for (int i = 0; i < 14; i++)
        fill_rectangle(&c, 30 + 31 * i, 322, 14, 26, 205);
    for (int i = 0; i < count; i++) {
        fill_disc(&c, fiducial[i].x, fiducial[i].y, 4 * 18, 84);
        draw_fiducial(&c, fiducial[i].x, fiducial[i].y);
    }
    /* The light comes from the right. */
    for (int y = 0; y < c.height; y++)
        for (int x = 0; x < c.width; x++)
            set_clamped(&c, x, y,
                        *canvas_at(&c, x, y) * (850 + 300 * x / c.width) / 1000 + noise(8));
    return c;
}

static canvas make_fiducial(void)
{
    canvas c = new_canvas(FIDUCIAL, FIDUCIAL, 8);
    fill_rectangle(&c, 0, 0, c.width, c.height, 84);
    draw_fiducial(&c, FIDUCIAL / 2, FIDUCIAL / 2);
    return c;
}

/* The cells. */

enum { CELL = 25, CELL_RADIUS = 10, CELLS = 18, CELLS_WIDTH = 400, CELLS_HEIGHT = 320 };

/* Brightness in percent of the light: a bright rim, a darker inside, a bright nucleus. r2 is the
 * square of the distance from the centre in pixels. */
static int cell_profile(int r2, int radius)
{
    const int outer = radius * radius, inner = (radius - 3) * (radius - 3),
              core = radius * radius / 9;
    if (r2 > outer)
        return 100;
    if (r2 > inner)
        return 100 + 70 * (outer - r2) / (outer - inner);
    if (r2 > core)
        return 130;
    return 185;
}

static void draw_cell(const canvas *c, int x0, int y0, int radius)
{
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            if (x * x + y * y <= radius * radius)
                set_clamped(c, x0 + x, y0 + y, 70 * cell_profile(x * x + y * y, radius) / 100);
}

/* Returns a place that keeps its distance from those chosen before it. */
static place choose_place(const place *taken, int count, int width, int height, int margin,
                          int distance)
{
    for (;;) {
        place p = { margin + (int)next_random((unsigned)(width - 2 * margin)),
                    margin + (int)next_random((unsigned)(height - 2 * margin)) };
        int free_place = 1;
        for (int i = 0; i < count; i++) {
            int dx = p.x - taken[i].x, dy = p.y - taken[i].y;
            free_place = free_place && dx * dx + dy * dy >= distance * distance;
        }
        if (free_place)
            return p;
    }
}

static canvas make_cells(place *centre)
{
    enum { OTHERS = 16 };
    place all[CELLS + OTHERS];
    canvas c = new_canvas(CELLS_WIDTH, CELLS_HEIGHT, 8);
    fill_rectangle(&c, 0, 0, c.width, c.height, 70);
    for (int i = 0; i < CELLS + OTHERS; i++) {
        all[i] = choose_place(all, i, c.width, c.height, CELL, 33);
        if (i < CELLS)
            centre[i] = all[i];
        /* the others are fragments, which are too small for cells and have a smaller nucleus */
        draw_cell(&c, all[i].x, all[i].y, i < CELLS ? CELL_RADIUS : 4 + i % 2);
    }
    /* The lamp is off centre: the corner farthest from it gets a third of the light. */
    for (int y = 0; y < c.height; y++)
        for (int x = 0; x < c.width; x++) {
            int dx = x - 130, dy = y - 110, light = 1250 - (dx * dx + dy * dy) / 140;
            set_clamped(&c, x, y, *canvas_at(&c, x, y) * light / 1000 + noise(5));
        }
    return c;
}

static canvas make_cell(void)
{
    canvas c = new_canvas(CELL, CELL, 8);
    fill_rectangle(&c, 0, 0, c.width, c.height, 70);
    draw_cell(&c, CELL / 2, CELL / 2, CELL_RADIUS);
    return c;
}

/* The buttons: red and green ones with the same luma, on a striped cloth. */

enum { BUTTON = 25, BUTTON_RADIUS = 10, BUTTONS = 5, BUTTONS_WIDTH = 200, BUTTONS_HEIGHT = 150 };

static const int red_button[3] = { 200, 60, 70 }, green_button[3] = { 60, 130, 77 };

/* Draws one colour channel of a button, shaded from the upper left, with two holes. */
static void draw_button(const canvas *c, int x0, int y0, int value)
{
    for (int y = -BUTTON_RADIUS; y <= BUTTON_RADIUS; y++)
        for (int x = -BUTTON_RADIUS; x <= BUTTON_RADIUS; x++) {
            const int hole = y * y + (x * x - 16) * (x * x - 16) / 64 <= 2;
            if (x * x + y * y <= BUTTON_RADIUS * BUTTON_RADIUS)
                set_clamped(c, x0 + x, y0 + y, hole ? 25 : value * (100 - 2 * x - 2 * y) / 100);
        }
}

static void make_buttons(canvas *c, place *centre)
{
    place all[2 * BUTTONS];
    for (int i = 0; i < 2 * BUTTONS; i++)
        all[i] = choose_place(all, i, BUTTONS_WIDTH, BUTTONS_HEIGHT, BUTTON_RADIUS + 4, 24);
    memcpy(centre, all, BUTTONS * sizeof *centre);
    for (int colour = 0; colour < 3; colour++) {
        c[colour] = new_canvas(BUTTONS_WIDTH, BUTTONS_HEIGHT, 8);
        for (int y = 0; y < BUTTONS_HEIGHT; y++)
            for (int x = 0; x < BUTTONS_WIDTH; x++)
                set_clamped(&c[colour], x, y,
                            (x + 2 * y) % 23 < 9 ? 90 + 40 * colour : 190 - 25 * colour);
        for (int i = 0; i < 2 * BUTTONS; i++)
            draw_button(&c[colour], all[i].x, all[i].y,
                        (i < BUTTONS ? red_button : green_button)[colour]);
        for (int y = 0; y < BUTTONS_HEIGHT; y++)
            for (int x = 0; x < BUTTONS_WIDTH; x++)
                set_clamped(&c[colour], x, y, *canvas_at(&c[colour], x, y) + noise(10));
    }
}

/* Draws a red button on white, as in a catalogue, and a mask of the pixels that belong to it. */
static void make_button(canvas *c, canvas *mask)
{
    for (int colour = 0; colour < 3; colour++) {
        c[colour] = new_canvas(BUTTON, BUTTON, 8);
        fill_rectangle(&c[colour], 0, 0, BUTTON, BUTTON, 255);
        draw_button(&c[colour], BUTTON / 2, BUTTON / 2, red_button[colour]);
    }
    *mask = new_canvas(BUTTON, BUTTON, 8);
    for (int y = -BUTTON_RADIUS; y <= BUTTON_RADIUS; y++)
        for (int x = -BUTTON_RADIUS; x <= BUTTON_RADIUS; x++)
            if (x * x + y * y <= BUTTON_RADIUS * BUTTON_RADIUS)
                set_clamped(mask, BUTTON / 2 + x, BUTTON / 2 + y, 255);
}

static void keep_buttons(scene_store *s)
{
    canvas rgb[3], mask;
    place centre[BUTTONS];
    make_buttons(rgb, centre);
    scene_keep(s, "buttons.tif", rgb, 3);
    make_button(rgb, &mask);
    scene_keep(s, "buttons-template.tif", rgb, 3);
    scene_keep(s, "buttons-mask.tif", &mask, 1);
    for (int i = 0; i < BUTTONS; i++)
        scene_add_truth(s, "buttons.tif", "buttons-template.tif", centre[i].x - BUTTON / 2,
                        centre[i].y - BUTTON / 2);
}

/* The star field. */

enum {
    STARS = 150,
    STARS_WIDTH = 320,
    STARS_HEIGHT = 240,
    CLUSTER_WIDTH = 41,
    CLUSTER_HEIGHT = 33
};

typedef struct star {
    int x4, y4; /* quarter pixels */
    int peak;
} star;

/* Moffat's profile with exponent 2, in 64-bit integers: peak * (s^2 / (r^2 + s^2))^2, s = 1.5
 * pixels = 6 quarters. */
static int star_light(const star *s, int x, int y)
{
    const int64_t dx = 4 * x - s->x4, dy = 4 * y - s->y4, s2 = 36, r2 = dx * dx + dy * dy;
    return (int)(s->peak * s2 * s2 / ((r2 + s2) * (r2 + s2)));
}

/* Draws a section of the sky from (x0, y0), with a gain (in 1/256), a background and noise of its
 * own. */
static canvas make_sky(const star *stars, int x0, int y0, int width, int height, int gain,
                       int background, int grain)
{
    canvas c = new_canvas(width, height, 16);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int64_t light = 0;
            for (int i = 0; i < STARS; i++)
                light += star_light(&stars[i], x0 + x, y0 + y);
            set_clamped(&c, x, y, (int)(light * gain / 256) + background + noise(grain));
        }
    return c;
}

static void choose_stars(star *stars)
{
    for (int i = 0; i < STARS; i++) {
        unsigned rank = next_random(1000); /* many faint, few bright */
        stars[i] = (star){ (int)next_random(4 * STARS_WIDTH), (int)next_random(4 * STARS_HEIGHT),
                           1500 + (int)(40000u * rank / 1000u * rank / 1000u * rank / 1000u) };
    }
}

/* ---- a flow: two pictures of particles that a vortex moves ---- */

enum {
    FLOW_WIDTH = 320,
    FLOW_HEIGHT = 240,
    PARTICLES = 3000,
    UNIT = 256,              /* positions are in 1/256 pixel */
    PARTICLE = 5 * UNIT / 2, /* the radius of a particle */
    CORE = 60 * UNIT         /* where the vortex is fastest */
};

/* A particle: its light falls as (1 - (r / PARTICLE)^2)^2. */
static void add_particle(const canvas *c, int64_t px, int64_t py, int peak)
{
    const int64_t reach = (int64_t)PARTICLE * PARTICLE;
    for (int64_t y = py / UNIT - 3; y <= py / UNIT + 3; y++)
        for (int64_t x = px / UNIT - 3; x <= px / UNIT + 3; x++) {
            const int64_t dx = x * UNIT - px, dy = y * UNIT - py, left = reach - dx * dx - dy * dy;
            if (left > 0 && x >= 0 && y >= 0 && x < c->width && y < c->height)
                set_clamped(c, (int)x, (int)y,
                            *canvas_at(c, (int)x, (int)y) +
                                (int)(peak * (left >> 8) / (reach >> 8) * left / reach));
        }
}

/* A particle at r from the middle moves by (-y, x) / 6 / (1 + (r / 60)^2), in pixels. */
static void keep_flow(scene_store *s)
{
    canvas first = new_canvas(FLOW_WIDTH, FLOW_HEIGHT, 8),
           second = new_canvas(FLOW_WIDTH, FLOW_HEIGHT, 8);
    const int64_t core = (int64_t)CORE * CORE;
    for (int i = 0; i < PARTICLES; i++) {
        const int64_t x = (int64_t)next_random((FLOW_WIDTH + 20) * UNIT) - 10 * UNIT,
                      y = (int64_t)next_random((FLOW_HEIGHT + 20) * UNIT) - 10 * UNIT,
                      rx = 2 * x - (FLOW_WIDTH - 1) * UNIT, ry = 2 * y - (FLOW_HEIGHT - 1) * UNIT,
                      slow = 12 * (core + (rx * rx + ry * ry) / 4);
        const int peak = 60 + (int)next_random(120);
        add_particle(&first, x, y, peak);
        add_particle(&second, x - ry * core / slow, y + rx * core / slow, peak);
    }
    for (int i = 0; i < FLOW_WIDTH * FLOW_HEIGHT; i++) {
        const int x = i % FLOW_WIDTH, y = i / FLOW_WIDTH;
        set_clamped(&first, x, y, *canvas_at(&first, x, y) + 20 + noise(4));
        set_clamped(&second, x, y, *canvas_at(&second, x, y) + 20 + noise(4));
    }
    scene_keep(s, "flow-1.tif", &first, 1);
    scene_keep(s, "flow-2.tif", &second, 1);
}

int main(int argc, char **argv)
{
    static const place fiducials[] = { { 40, 38 }, { 441, 36 }, { 38, 296 }, { 436, 300 } };
    enum { FIDUCIALS = sizeof fiducials / sizeof fiducials[0], CLUSTER_X = 236, CLUSTER_Y = 179 };
    static star stars[STARS];
    static scene_store s;
    place cells[CELLS];
    s.check = argc == 3 && strcmp(argv[1], "--check") == 0;
    if (argc != 2 && !s.check) {
        fprintf(stderr, "usage: make_scenes [--check] DIRECTORY\n");
        return 2;
    }
    s.directory = argv[argc - 1];
    snprintf(s.truth, sizeof s.truth, "image,template,x,y\n");

    state = 20240229;
    canvas c = make_board(fiducials, FIDUCIALS);
    scene_keep(&s, "board.tif", &c, 1);
    c = make_fiducial();
    scene_keep(&s, "board-fiducial.tif", &c, 1);
    for (int i = 0; i < FIDUCIALS; i++)
        scene_add_truth(&s, "board.tif", "board-fiducial.tif", fiducials[i].x - FIDUCIAL / 2,
                        fiducials[i].y - FIDUCIAL / 2);

    state = 20240301;
    c = make_cells(cells);
    scene_keep(&s, "cells.tif", &c, 1);
    c = make_cell();
    scene_keep(&s, "cells-template.tif", &c, 1);
    for (int i = 0; i < CELLS; i++)
        scene_add_truth(&s, "cells.tif", "cells-template.tif", cells[i].x - CELL / 2,
                        cells[i].y - CELL / 2);

    state = 20240302;
    choose_stars(stars);
    c = make_sky(stars, 0, 0, STARS_WIDTH, STARS_HEIGHT, 256, 1200, 120);
    scene_keep(&s, "stars.tif", &c, 1);
    /* The template is another exposure: shorter, with a brighter sky and its own noise. */
    c = make_sky(stars, CLUSTER_X, CLUSTER_Y, CLUSTER_WIDTH, CLUSTER_HEIGHT, 150, 2500, 160);
    scene_keep(&s, "stars-cluster.tif", &c, 1);
    scene_add_truth(&s, "stars.tif", "stars-cluster.tif", CLUSTER_X, CLUSTER_Y);

    state = 20240303;
    keep_buttons(&s);

    state = 20240304;
    keep_flow(&s);

    scene_keep_truth(&s);
    return s.wrong;
}
