/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a piece of code in a source, whatever the line breaks, blanks and comments. */
#include "mutants.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Code without comments and needless blanks. */
typedef struct bare {
    char *chars;
    size_t *from; /* from[i]: where chars[i] is in the text */
    size_t count;
} bare;

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the blanks or the comment at the start of a text; 0 when there is neither. */
static size_t gap_length(const char *text)
{
    if (isspace((unsigned char)*text))
        return 1;
    if (text[0] == '\\' && text[1] == '\n')
        return 2;
    if (text[0] == '/' && text[1] == '/')
        return strcspn(text, "\n");
    if (text[0] == '/' && text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        return end ? (size_t)(end + 2 - text) : strlen(text);
    }
    return 0;
}

/* The length of the string or character constant at the start of a text, 1 for anything else. An
 * apostrophe inside a number separates digits. */
static size_t token_length(const char *text, char before)
{
    const char quote = *text;
    if (quote != '"' && (quote != '\'' || is_word(before)))
        return 1;
    size_t length = 1;
    while (text[length] && text[length] != '\n' && text[length] != quote)
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return length + (text[length] == quote);
}

static bare strip(const char *text)
{
    const size_t size = strlen(text);
    bare b = { malloc(size + 1), malloc((size + 1) * sizeof(size_t)), 0 };
    if (!b.chars || !b.from)
        fail("out of memory");
    int gap = 0;
    for (size_t at = 0; at < size;) {
        const char before = b.count ? b.chars[b.count - 1] : ' ';
        const size_t skip = gap_length(text + at);
        if (skip) {
            at += skip;
            gap = 1;
            continue;
        }
        if (gap && is_word(before) && is_word(text[at])) {
            b.from[b.count] = at;
            b.chars[b.count++] = ' ';
        }
        gap = 0;
        for (size_t end = at + token_length(text + at, before); at < end; at++) {
            b.from[b.count] = at;
            b.chars[b.count++] = text[at];
        }
    }
    b.chars[b.count] = '\0';
    return b;
}

places find_code(const char *source, const char *code)
{
    const bare all = strip(source), wanted = strip(code);
    places found = { 0, 0, 0 };
    if (wanted.count == 0)
        return found;
    for (const char *at = all.chars; (at = strstr(at, wanted.chars)) != NULL; at++) {
        if (found.count++ > 0)
            continue;
        const size_t first = (size_t)(at - all.chars);
        found.begin = all.from[first];
        found.end = all.from[first + wanted.count - 1] + 1;
    }
    return found;
}

int same_code(const char *a, const char *b)
{
    return strcmp(strip(a).chars, strip(b).chars) == 0;
}
