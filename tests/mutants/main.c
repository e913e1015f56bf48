/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of the planted bugs.
 *
 *   mutants lint ROOT TABLE...          checks the tables against the sources; needs no build
 *   mutants build SETUP NAME TABLE... compiles and links one mutant
 *   mutants run SETUP NAME TABLE...   runs what `build` has made; fails when the mutant survives
 *   mutants test SETUP NAME TABLE...  both
 *
 * The exit status is 0, 1 for a failure, or 77 where the mutant cannot be built or run here. */
#include "mutants.h"

#include <stdio.h>
#include <string.h>

static const mutant *find_mutant(const mutant_list *mutants, const char *name)
{
    for (size_t i = 0; i < mutants->count; i++)
        if (strcmp(mutants->items[i].name, name) == 0)
            return &mutants->items[i];
    fail("there is no mutant %s", name);
}

int main(int argc, char **argv)
{
    const int is_lint = argc > 1 && strcmp(argv[1], "lint") == 0;
    const int first_table = is_lint ? 3 : 4;
    if (argc <= first_table)
        fail("usage: mutants lint ROOT TABLE...\n"
             "       mutants build|run|test SETUP NAME TABLE...");
    mutant_list mutants = { NULL, 0 };
    for (int i = first_table; i < argc; i++)
        read_table(argv[i], &mutants);
    if (is_lint) {
        const size_t problems = lint(argv[2], &mutants);
        printf("%zu mutants, %zu problems\n", mutants.count, problems);
        return problems || !mutants.count ? MUTANTS_FAILED : MUTANTS_PASSED;
    }
    const int builds = !strcmp(argv[1], "build") || !strcmp(argv[1], "test");
    const int runs = !strcmp(argv[1], "run") || !strcmp(argv[1], "test");
    if (!builds && !runs)
        fail("unknown command %s", argv[1]);
    const build_setup setup = read_setup(argv[2]);
    const mutant *m = find_mutant(&mutants, argv[3]);
    int status = MUTANTS_PASSED;
    if (builds)
        status = build_mutant(&setup, m);
    if (runs && status == MUTANTS_PASSED)
        status = run_mutant(&setup, m);
    return status;
}
