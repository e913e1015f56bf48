/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the tables of mutants against the source tree, without a build. */
#include "mutants.h"

#include <stdio.h>
#include <string.h>

/* Prints a problem with a mutant and counts it. */
static void report(const mutant *m, const char *what, size_t *problems)
{
    printf("%s:%d: %s: %s\n", m->table, m->line, m->name, what);
    (*problems)++;
}

static void lint_change(const char *root, const mutant *m, size_t *problems)
{
    const char *source = read_file(format("%s/%s", root, m->file));
    if (!source) {
        report(m, format("there is no file %s", m->file), problems);
        return;
    }
    const places found = find_code(source, m->find);
    if (found.count == 0)
        report(m, format("`find` is not in %s:\n    %s", m->file, m->find), problems);
    if (found.count > 1)
        report(m,
               format("`find` is %zu times in %s, where it must be once:\n    %s", found.count,
                      m->file, m->find),
               problems);
    if (same_code(m->find, m->replace))
        report(m, "`replace` is the same code as `find`", problems);
}

size_t lint(const char *root, const mutant_list *mutants)
{
    size_t problems = 0;
    for (size_t i = 0; i < mutants->count; i++) {
        const mutant *m = &mutants->items[i];
        if (m->name[strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
            report(m, "a name has small letters, digits and hyphens", &problems);
        for (size_t k = 0; k < i; k++)
            if (strcmp(mutants->items[k].name, m->name) == 0)
                report(m, "another mutant has this name", &problems);
        const list units = words_of(m->compile);
        for (size_t k = 0; k < units.count; k++)
            if (!read_file(format("%s/%s", root, units.items[k])))
                report(m, format("there is no file %s to compile", units.items[k]), &problems);
        lint_change(root, m, &problems);
    }
    return problems;
}
