/* Measures how long a batch of templates of mixed sizes takes, compared with the sum of its parts:
 * xncc_batch_find against xncc_plan_find with a plan per template, alternately, and the best
 * template at each position against the templates' maps. Not a test: it prints times. The results
 * of both ways are compared.
 *
 * Usage: many_time [--device cpu|cuda] [--threads N] [--repeat N] [--width N] [--height N]
 * [--templates N] */
#include "kit/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOP = 16, MOST_TEMPLS = 400, MOST_REPEAT = 200 };

typedef struct bench {
    xncc_context *context;
    xncc_image image;
    int count, repeat;
    xncc_template *templ[MOST_TEMPLS];
    xncc_plan *plan[MOST_TEMPLS];
    xncc_batch *batch;
    xncc_map map; /* large enough for the map of any template */
    xncc_best best;
    double alone[MOST_REPEAT], together[MOST_REPEAT];
} bench;

static const xncc_find_options find_options = { .min_score = -1.0f, .top = TOP };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, bench *b)
{
    qsort(b->alone, (size_t)b->repeat, sizeof(double), ascending);
    qsort(b->together, (size_t)b->repeat, sizeof(double), ascending);
    const double alone = b->alone[b->repeat / 2], together = b->together[b->repeat / 2];
    printf("%s: %d templates alone %.3f ms, together %.3f ms: %.3f of the sum of the parts (%s)\n",
           what, b->count, alone, together, together / alone, xncc_plan_kernel(b->plan[0]));
}

static void must(const bench *b, xncc_status status)
{
    char text[XNCC_ERROR_SIZE];
    if (status)
        kit_give_up("%s: %s", xncc_status_string(status),
                    xncc_context_error(b->context, text, sizeof text));
}

static void make_buffers(bench *b, const xncc_image *host, kit_random *random)
{
    static const int32_t side[] = { 16, 24, 32, 64 };
    const xncc_template *templ[MOST_TEMPLS];
    xncc_problem problem = { .image_width = host->width, .image_height = host->height };
    const xncc_preference preference = { .image_memory = b->image.memory,
                                         .map_memory = b->image.memory };
    for (int i = 0; i < b->count; i++) {
        xncc_image crop;
        problem.width = problem.height = side[i % 4];
        must(b, xncc_image_crop(host, kit_between(random, 0, host->width - problem.width),
                                kit_between(random, 0, host->height - problem.height),
                                problem.width, problem.height, &crop));
        must(b, xncc_template_create(b->context, &crop, &b->templ[i]));
        must(b, xncc_plan_create(b->context, &problem, &preference, &b->plan[i]));
        templ[i] = b->templ[i];
    }
    const xncc_batch_options options = { .find = &find_options,
                                         .capacity = (size_t)b->count * TOP };
    must(b, xncc_batch_create(b->context, &problem, &preference, templ, (size_t)b->count, &options,
                              &b->batch));
}

static void destroy_templs(bench *b)
{
    xncc_batch_destroy(b->batch);
    for (int i = 0; i < b->count; i++) {
        xncc_plan_destroy(b->plan[i]);
        xncc_template_destroy(b->templ[i]);
    }
}

/* Checks that each match of the single calls is among those of the batch. */
static void compare(const bench *b, const xncc_match *match, const size_t *found,
                    const xncc_candidate *all, size_t total)
{
    size_t sum = 0;
    for (int i = 0; i < b->count; i++) {
        size_t k = 0;
        for (size_t j = 0; j < total && k < found[i]; j++)
            k += all[j].templ == i &&
                 memcmp(&all[j].match, &match[i * TOP + (int)k], sizeof *match) == 0;
        CHECK_INT(k, found[i]);
        sum += found[i];
    }
    CHECK_INT(total, sum);
}

static void time_find(bench *b, const char *what)
{
    static xncc_match match[MOST_TEMPLS * TOP];
    static xncc_candidate all[MOST_TEMPLS * TOP];
    size_t found[MOST_TEMPLS], total = 0;
    for (int k = -2; k < b->repeat; k++) {
        const double start = now_ms();
        for (int i = 0; i < b->count; i++)
            must(b, xncc_plan_find(b->plan[i], &b->image, b->templ[i], &find_options,
                                   match + i * TOP, TOP, &found[i], NULL));
        const double middle = now_ms();
        must(b, xncc_batch_find(b->batch, &b->image, all, &total, NULL));
        if (k >= 0) {
            b->alone[k] = middle - start;
            b->together[k] = now_ms() - middle;
        }
    }
    compare(b, match, found, all, total);
    report(what, b);
}

static void time_best(bench *b, const char *what)
{
    for (int k = -2; k < b->repeat; k++) {
        const double start = now_ms();
        for (int i = 0; i < b->count; i++) {
            xncc_map map = b->map;
            map.width = b->image.width - xncc_template_width(b->templ[i]) + 1;
            map.height = b->image.height - xncc_template_height(b->templ[i]) + 1;
            must(b, xncc_plan_correlate(b->plan[i], &b->image, b->templ[i], &map, NULL));
        }
        if (b->map.memory == XNCC_DEVICE)
            (void)kit_device_wait(NULL);
        const double middle = now_ms();
        must(b, xncc_batch_best(b->batch, &b->image, &b->best, NULL));
        if (b->map.memory == XNCC_DEVICE)
            (void)kit_device_wait(NULL);
        if (k >= 0) {
            b->alone[k] = middle - start;
            b->together[k] = now_ms() - middle;
        }
    }
    report(what, b);
}

static void *take(xncc_memory memory, size_t bytes)
{
    void *taken = memory == XNCC_DEVICE ? kit_device_alloc(bytes) : malloc(bytes);
    if (!taken)
        kit_give_up("no memory for %zu bytes", bytes);
    return taken;
}

static void give(xncc_memory memory, void *taken)
{
    if (memory == XNCC_DEVICE)
        kit_device_free(taken);
    else
        free(taken);
}

static void time_memory(bench *b, const xncc_image *host, xncc_memory memory)
{
    kit_random random = kit_stream(5);
    const size_t pixels = (size_t)host->width * (size_t)host->height;
    char what[80];
    b->image = *host;
    if (memory == XNCC_DEVICE) {
        b->image.data = take(memory, pixels);
        b->image.memory = memory;
        CHECK(kit_device_upload((void *)(uintptr_t)b->image.data, host->data, pixels));
    }
    b->map = (xncc_map){ .data = take(memory, pixels * 4),
                         .memory = memory,
                         .pitch = (int64_t)host->width * 4 };
    b->best = (xncc_best){ .score = { .data = take(memory, pixels * 4),
                                      .width = host->width - 15,
                                      .height = host->height - 15,
                                      .memory = memory },
                           .index = take(memory, pixels * 4) };
    make_buffers(b, host, &random);
    (void)snprintf(what, sizeof what, "find, image in %s memory",
                   memory == XNCC_DEVICE ? "device" : "host");
    time_find(b, what);
    (void)snprintf(what, sizeof what, "best, image and maps in %s memory",
                   memory == XNCC_DEVICE ? "device" : "host");
    time_best(b, what);
    destroy_templs(b);
    give(memory, b->map.data);
    give(memory, b->best.score.data);
    give(memory, b->best.index);
    if (memory == XNCC_DEVICE)
        kit_device_free((void *)(uintptr_t)b->image.data);
}

static int number(int argc, char **argv, const char *name, const char *fallback, int most)
{
    const int value = atoi(kit_option(argc, argv, name, fallback));
    if (value < 1 || value > most)
        kit_give_up("%s %d is not within 1 .. %d", name, value, most);
    return value;
}

int main(int argc, char **argv)
{
    kit_start(argc, argv);
    static bench b;
    const xncc_device device = kit_device_option(argc, argv);
    b.context = kit_context(device, number(argc, argv, "--threads", "2", 64));
    b.repeat = number(argc, argv, "--repeat", "9", MOST_REPEAT);
    b.count = number(argc, argv, "--templates", "24", MOST_TEMPLS);
    kit_random random = kit_stream(4);
    kit_image scene = kit_image_create(XNCC_U8, number(argc, argv, "--width", "1920", 16384),
                                       number(argc, argv, "--height", "1080", 16384), 0, KIT_AFTER);
    kit_image_fill(&scene.view, KIT_NOISE, &random);
    time_memory(&b, &scene.view, XNCC_HOST);
    if (device == XNCC_DEVICE_CUDA)
        time_memory(&b, &scene.view, XNCC_DEVICE);
    kit_image_destroy(&scene);
    xncc_context_destroy(b.context);
    return kit_finish("many_time");
}
