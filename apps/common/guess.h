/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest of several words, for errors about a word that does not exist. */
#ifndef APP_GUESS_H
#define APP_GUESS_H

#include <stddef.h>

enum { APP_GUESSES = 3, APP_GUESS_SIZE = 160 };

typedef struct app_guess {
    const char *typed;
    const char *word[APP_GUESSES]; /* the best so far; borrowed */
    size_t count;
    int distance;              /* of these words */
    char text[APP_GUESS_SIZE]; /* what app_guess_text returns */
} app_guess;

/* Starts a search for the words nearest to the one that was typed. */
void app_guess_start(app_guess *guess, const char *typed);

/* Considers a word. It counts as near if the typed word is how it begins, is another name for it,
 * or differs by few letters that are missing, added, changed or exchanged. Case does not matter. */
void app_guess_try(app_guess *guess, const char *word);

/* Considers every word of a list that ends with NULL. */
void app_guess_try_all(app_guess *guess, const char *const *words);

/* "; did you mean --A, --B or --C?" with dashes before each word, or "" if none is near. */
const char *app_guess_text(app_guess *guess, const char *dashes);

/* Copies "a, b or c" to text; dashes: before each word. What does not fit is cut. */
void app_join_words(const char *const *words, size_t count, const char *dashes, char *text,
                    size_t size);

/* Letters to insert, remove, replace or exchange with the next to turn one word into the other; 64
 * if a word is longer than 63. Case does not matter. */
int app_word_distance(const char *a, const char *b);

#endif
