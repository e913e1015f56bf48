/* SPDX-License-Identifier: BSD-2-Clause */
/* Text and bytes as they stand in an HTML file. */
#include "html_text.h"

#include "common/report.h"
#include "common/text_file.h"

#include <stdlib.h>
#include <string.h>

void app_html_text(FILE *out, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int length = app_utf8_length(s);
        if (length == 0 || *s < 0x20 || *s == 0x7f)
            fputs("&#xfffd;", out);
        else if (strchr("&<>\"'`", *s))
            fprintf(out, "&#%d;", *s);
        else
            fwrite(s, 1, (size_t)length, out);
        s += length ? length : 1;
    }
}

void app_html_base64(FILE *out, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned group = (unsigned)bytes[i] << 16 |
                               (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0u);
        const char four[4] = { digits[group >> 18], digits[group >> 12 & 63],
                               left > 1 ? digits[group >> 6 & 63] : '=',
                               left > 2 ? digits[group & 63] : '=' };
        fwrite(four, 1, sizeof four, out);
    }
}

static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+=:,./@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

char *app_html_command(const char *program, int count, char *const *words)
{
    app_text text;
    FILE *out = app_text_open(&text);
    if (!out)
        return NULL;
    fputs(program, out);
    for (int i = 0; i < count; i++) {
        putc(' ', out);
        put_word(out, words[i]);
    }
    return app_text_close(&text);
}
