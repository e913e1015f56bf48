/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest of several words. */
#include "guess.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63, FAR = LONGEST + 1 };

/* Words that people try, and what they are called here. */
static const char *const other_names[][2] = {
    { "gpu", "cuda" },           { "ncc", "ccoeff_normed" },
    { "zncc", "ccoeff_normed" }, { "threshold", "min-score" },
    { "jobs", "threads" },       { "max-count", "top" },
    { "search", "find" },        { "match", "find" },
    { "locate", "find" },        { "filter", "convolve" },
    { "blur", "convolve" },      { "map", "correlate" },
};

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int app_word_distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    int row[3][LONGEST + 1]; /* the last three rows of the table of distances of prefixes */
    if (m > LONGEST || n > LONGEST)
        return FAR;
    for (size_t j = 0; j <= n; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int *const here = row[i % 3];
        const int *const above = row[(i + 2) % 3], *const twice = row[(i + 1) % 3];
        here[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            const int same = lower(a[i - 1]) == lower(b[j - 1]);
            here[j] = least(least(above[j], here[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                here[j] = least(here[j], twice[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

/* The distance of a word from the typed one; FAR if it is not near. */
static int distance(const char *typed, const char *word)
{
    const size_t length = strlen(typed);
    const int most = length < 3 ? 0 : length < 6 ? 1 : length < 10 ? 2 : 3;
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcasecmp(typed, other_names[i][0]) == 0 && strcmp(word, other_names[i][1]) == 0)
            return 0;
    if (length > 1 && strncasecmp(typed, word, length) == 0)
        return 0;
    const int d = app_word_distance(typed, word);
    return d <= most ? d : FAR;
}

void app_guess_start(app_guess *g, const char *typed)
{
    *g = (app_guess){ .typed = typed, .distance = FAR };
}

void app_guess_try(app_guess *g, const char *word)
{
    const int d = distance(g->typed, word);
    if (d < g->distance) {
        g->distance = d;
        g->count = 0;
    }
    if (d < FAR && d == g->distance && g->count < APP_GUESSES)
        g->word[g->count++] = word;
}

void app_guess_try_all(app_guess *g, const char *const *words)
{
    for (; *words; words++)
        app_guess_try(g, *words);
}

void app_join_words(const char *const *words, size_t count, const char *dashes, char *text,
                    size_t size)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 dashes, words[i]);
}

const char *app_guess_text(app_guess *g, const char *dashes)
{
    char names[APP_GUESS_SIZE - 20];
    if (g->count == 0)
        return "";
    app_join_words(g->word, g->count, dashes, names, sizeof names);
    snprintf(g->text, sizeof g->text, "; did you mean %s?", names);
    return g->text;
}
