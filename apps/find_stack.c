/* SPDX-License-Identifier: BSD-2-Clause */
/* Several pages in one call. */
#include "find_stack.h"

#include <stdlib.h>
#include <string.h>

/* Pixels of a page that is searched with others. */
enum { SMALL = 1 << 20 };

int find_stack_pays(const find_job *j)
{
    const app_options *o = j->options;
    return j->kit.templates.count == 1 && !o->turns && !o->scales && !o->spread &&
           !j->kit.session.waiting && strncmp(j->kit.session.device, "cuda", 4) == 0;
}

/* Pages that are searched together. */
typedef struct stack {
    find_work *work[FIND_STACK_PAGES];
    xncc_image image[FIND_STACK_PAGES];
    size_t found[FIND_STACK_PAGES];
    size_t count;
    xncc_match *match;
} stack;

/* Opens the hunt of a page. Returns 1 if the page is small and like the first one. A failure is
 * that of the page. */
static int open_hunt(app_kit *kit, const stack *s, find_work *w)
{
    app_error unused;
    app_feed_page *page = w->page;
    find_hunt *h = w->hunts;
    if (!find_is_one_search(kit, page) ||
        (int64_t)page->scene.picture.width * page->scene.picture.height > SMALL ||
        app_reader_stop(&page->reader, &unused))
        return 0;
    w->status = app_search_open(kit, &page->scene, 0, &h->search, &w->error);
    if (!w->status)
        w->status = find_hunt_open(h, kit->session.options, &w->error);
    w->searched = w->status != XNCC_OK;
    if (w->status)
        return 0;
    const find_hunt *first = s->count ? s->work[0]->hunts : h;
    return first->room == h->room && first->search.templ == h->search.templ &&
           memcmp(&first->search.problem, &h->search.problem, sizeof h->search.problem) == 0;
}

static xncc_status search(app_kit *kit, stack *s, xncc_error *why)
{
    const app_options *o = kit->session.options;
    find_hunt *first = s->work[0]->hunts;
    const size_t room = first->room;
    xncc_plan *plan;
    xncc_peak_rule peaks = o->peaks;
    peaks.top = room;
    s->match = calloc(s->count * room, sizeof *s->match);
    if (!s->match) {
        strcpy(why->text, "out of memory");
        return XNCC_ERROR_MEMORY;
    }
    xncc_status status = app_plans_images(&kit->plans, &first->search.problem, o->kernel,
                                          FIND_STACK_PAGES, &plan, why);
    if (!status)
        status = xncc_plan_find_images(plan, s->image, s->count, first->search.templ, &peaks,
                                       s->match, room, s->found, NULL, why);
    for (size_t i = 0; i < s->count && !status; i++) {
        find_hunt *h = s->work[i]->hunts;
        h->plan = (xncc_plan_info)XNCC_PLAN_INFO_INIT;
        h->found = s->found[i];
        memcpy(h->match, s->match + i * room, h->found * sizeof *h->match);
        status = xncc_plan_describe(plan, &h->plan, why);
    }
    return status;
}

void find_stack_search(app_kit *kit, find_work *const *work, size_t count)
{
    stack *s = calloc(1, sizeof *s);
    for (size_t i = 0; i < count && s && s->count < FIND_STACK_PAGES; i++) {
        if (open_hunt(kit, s, work[i])) {
            s->image[s->count] = work[i]->hunts->search.scene;
            s->work[s->count++] = work[i];
        } else {
            find_hunt_close(work[i]->hunts);
        }
    }
    xncc_error why;
    const int one = !s || s->count < 2;
    const xncc_status status = one ? XNCC_ERROR_ARGUMENT : search(kit, s, &why);
    for (size_t i = 0; s && i < s->count; i++) {
        find_work *w = s->work[i];
        w->searched = status != XNCC_ERROR_ARGUMENT && status != XNCC_ERROR_UNSUPPORTED;
        if (w->searched)
            w->status = app_pass_on(&w->error, status, w->page->scene.path, &why);
        else
            find_hunt_close(w->hunts);
    }
    if (s)
        free(s->match);
    free(s);
}
