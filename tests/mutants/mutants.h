/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the program `mutants`, which plants the bugs of the tables in this folder. The
 * program runs briefly and leaves its memory to the system: nothing here is freed. */
#ifndef MUTANTS_MUTANTS_H
#define MUTANTS_MUTANTS_H

#include <stddef.h>

#ifdef __GNUC__
#define MUTANTS_PRINTS(rules, values) __attribute__((format(printf, rules, values)))
#else
#define MUTANTS_PRINTS(rules, values)
#endif

/* Exit statuses, as CTest reads them. */
enum { MUTANTS_PASSED = 0, MUTANTS_FAILED = 1, MUTANTS_SKIPPED = 77 };

/* util.c */

/* Strings; `items` ends with a NULL that `count` does not include. */
typedef struct list {
    char **items;
    size_t count;
} list;

void list_add(list *strings, const char *string);

/* Whether one of the strings equals `string`. */
int list_has(const list *strings, const char *string);

/* The words of a text, separated by blanks. */
list words_of(const char *text);

/* A new string with printf's rules. */
char *format(const char *rules, ...) MUTANTS_PRINTS(1, 2);

/* Prints the message and ends the program with MUTANTS_FAILED. */
_Noreturn void fail(const char *rules, ...) MUTANTS_PRINTS(1, 2);

/* The text of a file; NULL when it cannot be read. */
char *read_file(const char *path);

/* Ends the program when the file cannot be written. */
void write_file(const char *path, const char *text);

/* Runs a command in a folder; its output goes to the file `log`. Gives its exit status, or -N when
 * signal N ended it. */
int run_command(const list *command, const char *folder, const char *log);

/* table.c */

/* A planted bug: one paragraph of a table. CMakeLists.txt describes the fields. */
typedef struct mutant {
    const char *table; /* path of its table */
    int line;          /* where its paragraph begins in the table, from 1 */
    const char *name, *why, *file, *compile, *run, *find, *replace; /* none is NULL */
} mutant;

typedef struct mutant_list {
    mutant *items;
    size_t count;
} mutant_list;

/* Adds the mutants of a table to the list. Mistakes in the table end the program. */
void read_table(const char *path, mutant_list *mutants);

/* code.c */

/* The places where a piece of code occurs in a source. Comments and line breaks do not count, and
 * blanks count only where they separate two words. */
typedef struct places {
    size_t count;
    size_t begin, end; /* the first place, as offsets in the source: begin .. end - 1 */
} places;

places find_code(const char *source, const char *code);

/* Whether two pieces of code are the same but for comments and blanks. */
int same_code(const char *a, const char *b);

/* lint.c */

/* Prints what is wrong with the mutants of a source tree; gives the number of problems. */
size_t lint(const char *root, const mutant_list *mutants);

/* setup.c */

/* What the driver knows about the build, from the file that CMakeLists.txt writes. */
typedef struct build_setup {
    const char *source;  /* root of the source tree */
    const char *build;   /* root of the build tree, which has compile_commands.json */
    const char *work;    /* a folder for the mutants' files */
    const char *probe;   /* program that exits with 77 when there is no CUDA device; "" for none */
    list link;           /* command that begins a link: compiler and flags */
    list libraries;      /* what ends a link */
    list program_object; /* "PROGRAM OBJECT", one for each object of each program */
} build_setup;

/* Mistakes in the file end the program. */
build_setup read_setup(const char *path);

/* The objects of a program. */
list objects_of(const build_setup *setup, const char *program);

/* How a source is compiled. */
typedef struct compile_unit {
    list command;       /* empty when the source is not part of the build */
    const char *folder; /* where the command runs */
} compile_unit;

compile_unit find_unit(const build_setup *setup, const char *source);

/* build.c */

/* The mutant's own folder. */
char *mutant_folder(const build_setup *setup, const mutant *m);

/* Compiles and links the mutant in its folder. Gives an exit status of the driver. */
int build_mutant(const build_setup *setup, const mutant *m);

/* Runs the mutant that was built: MUTANTS_PASSED when its run rejects it. */
int run_mutant(const build_setup *setup, const mutant *m);

#endif
