/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds and runs one mutant.
 *
 * The changed file is written to a mirror of the source tree, a folder in which all else is
 * symbolic links. The compile commands of the build run with their paths led to the mirror, so that
 * the changed file is found however it is included. The new objects are linked in front of the
 * library, or in place of the program's own objects. */
#include "mutants.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const source_folders[] = { "apps", "cuda", "include", "src", "tests" };

char *mutant_folder(const build_setup *setup, const mutant *m)
{
    return format("%s/%s", setup->work, m->name);
}

static char *log_of(const build_setup *setup, const mutant *m)
{
    return format("%s/log.txt", mutant_folder(setup, m));
}

/* What the last command of a mutant printed. */
static const char *output_of(const build_setup *setup, const mutant *m)
{
    const char *output = read_file(log_of(setup, m));
    return output ? output : "";
}

static int skip(const build_setup *setup, const mutant *m, const char *why)
{
    write_file(format("%s/skipped", mutant_folder(setup, m)), why);
    printf("%s: skipped: %s\n", m->name, why);
    return MUTANTS_SKIPPED;
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        fail("cannot make the folder %s: %s", path, strerror(errno));
}

static int is_source_folder(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof source_folders / sizeof *source_folders; i++)
        if (strlen(source_folders[i]) == length && strncmp(source_folders[i], name, length) == 0)
            return 1;
    return 0;
}

/* Makes `to` a folder with links to all that is in `from`, except that `path` (relative to both) is
 * left out and the folders on the way to it are real ones. At the root only the folders of sources
 * are linked: a build tree there may hold this mirror. */
static void mirror(const char *from, const char *to, const char *path, int is_root)
{
    make_folder(to);
    DIR *folder = opendir(from);
    if (!folder)
        fail("cannot read the folder %s: %s", from, strerror(errno));
    const size_t length = strcspn(path, "/");
    const char *first = format("%.*s", (int)length, path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (*name == '.' || strcmp(name, first) == 0)
            continue;
        if (is_root && !is_source_folder(name, strlen(name)))
            continue;
        if (symlink(format("%s/%s", from, name), format("%s/%s", to, name)) != 0)
            fail("cannot link %s/%s: %s", to, name, strerror(errno));
    }
    closedir(folder);
    if (path[length])
        mirror(format("%s/%s", from, first), format("%s/%s", to, first), path + length + 1, 0);
}

/* Writes the changed file into a new mirror of the source tree. */
static void plant(const build_setup *setup, const mutant *m, const char *tree)
{
    const char *source = read_file(format("%s/%s", setup->source, m->file));
    if (!source)
        fail("%s: there is no file %s", m->name, m->file);
    const places found = find_code(source, m->find);
    if (found.count != 1)
        fail("%s:%d: %s: `find` is %zu times in %s, where it must be once:\n    %s", m->table,
             m->line, m->name, found.count, m->file, m->find);
    mirror(setup->source, tree, m->file, 1);
    write_file(format("%s/%s", tree, m->file),
               format("%.*s%s%s", (int)found.begin, source, m->replace, source + found.end));
}

/* A compiler's argument with paths in the source tree led to the mirror. */
static const char *led_to(const char *tree, const char *root, const char *argument)
{
    const size_t length = strlen(root);
    const char *result = "", *found;
    for (; (found = strstr(argument, root)) != NULL; argument = found + length) {
        const char *rest = found + length;
        const int mine = !*rest ||
                         (*rest == '/' && is_source_folder(rest + 1, strcspn(rest + 1, "/")));
        result = format("%s%.*s%s", result, (int)(found - argument), argument, mine ? tree : root);
    }
    return format("%s%s", result, argument);
}

/* The command that compiles a unit in the mirror. Warnings are not errors there, no line numbers
 * are kept for profilers, and of several GPU architectures only this machine's is built. */
static list mirror_command(const build_setup *setup, const compile_unit *unit, const char *tree,
                           const char *object)
{
    list command = { NULL, 0 };
    size_t architectures = 0;
    for (size_t i = 0; i < unit->command.count; i++)
        architectures += strncmp(unit->command.items[i], "--generate-code", 15) == 0;
    for (size_t i = 0; i < unit->command.count; i++) {
        const char *argument = unit->command.items[i];
        if (!strcmp(argument, "-o") || !strcmp(argument, "-MF") || !strcmp(argument, "-MT"))
            i++; /* and its value */
        else if (!strcmp(argument, "-MD") || strstr(argument, "Werror") ||
                 strstr(argument, "lineinfo") ||
                 (architectures > 1 && strncmp(argument, "--generate-code", 15) == 0))
            continue;
        else
            list_add(&command, led_to(tree, setup->source, argument));
    }
    if (architectures > 1)
        list_add(&command, "-arch=native");
    list_add(&command, "-o");
    list_add(&command, object);
    list_add(&command, "-MD");
    list_add(&command, "-MF");
    list_add(&command, format("%s.d", object));
    return command;
}

/* The object that the build makes of a unit. */
static const char *object_of(const compile_unit *unit)
{
    for (size_t i = 0; i + 1 < unit->command.count; i++)
        if (strcmp(unit->command.items[i], "-o") == 0) {
            const char *object = unit->command.items[i + 1];
            return *object == '/' ? object : format("%s/%s", unit->folder, object);
        }
    return "";
}

/* Whether a compiler's list of dependencies names a path. */
static int depends_on(const char *dependencies, const char *path)
{
    const size_t length = strlen(path);
    char *text = read_file(dependencies);
    if (!text)
        return 0;
    char *to = text; /* without the backslashes in front of blanks */
    for (const char *from = text; *from; from++)
        if (*from != '\\')
            *to++ = *from;
    *to = '\0';
    for (const char *at = text; (at = strstr(at, path)) != NULL; at++)
        if (strchr(" \n", at[length]))
            return 1;
    return 0;
}

/* Compiles all units of the mutant; adds the new objects to one list and the build's objects that
 * they replace to another. */
static int compile(const build_setup *setup, const mutant *m, list *made, list *replaced)
{
    const char *folder = mutant_folder(setup, m), *tree = format("%s/tree", folder);
    const list units = words_of(m->compile);
    for (size_t i = 0; i < units.count; i++) {
        const char *name = units.items[i];
        const compile_unit unit = find_unit(setup, name);
        if (!unit.command.count)
            return skip(setup, m, format("%s is not part of this build", name));
        const char *object = format("%s/%zu.o", folder, i);
        const list command = mirror_command(setup, &unit, tree, object);
        if (run_command(&command, unit.folder, log_of(setup, m)) != 0)
            fail("%s: %s with the change does not compile:\n%s", m->name, name,
                 output_of(setup, m));
        if (!depends_on(format("%s.d", object), format("%s/%s", tree, m->file)))
            fail("%s: compiling %s does not read the changed %s", m->name, name, m->file);
        list_add(made, object);
        list_add(replaced, object_of(&unit));
    }
    return MUTANTS_PASSED;
}

/* Whether one of the paths is that of a file, however it is written. */
static int has_file(const list *paths, const char *path)
{
    struct stat one, other;
    if (stat(path, &one) != 0)
        return 0;
    for (size_t i = 0; i < paths->count; i++)
        if (stat(paths->items[i], &other) == 0 && one.st_dev == other.st_dev &&
            one.st_ino == other.st_ino)
            return 1;
    return 0;
}

static void link_program(const build_setup *setup, const mutant *m, const list *made,
                         const list *replaced)
{
    const char *program = words_of(m->run).items[0];
    const list objects = objects_of(setup, program);
    if (!objects.count)
        fail("%s: there is no program %s", m->name, program);
    list command = { NULL, 0 };
    for (size_t i = 0; i < setup->link.count; i++)
        list_add(&command, setup->link.items[i]);
    for (size_t i = 0; i < objects.count; i++)
        if (!has_file(replaced, objects.items[i]))
            list_add(&command, objects.items[i]);
    for (size_t i = 0; i < made->count; i++)
        list_add(&command, made->items[i]);
    for (size_t i = 0; i < setup->libraries.count; i++)
        list_add(&command, setup->libraries.items[i]);
    list_add(&command, "-o");
    list_add(&command, format("%s/program", mutant_folder(setup, m)));
    if (run_command(&command, mutant_folder(setup, m), log_of(setup, m)) != 0)
        fail("%s: the program with the change does not link:\n%s", m->name, output_of(setup, m));
}

int build_mutant(const build_setup *setup, const mutant *m)
{
    const char *folder = mutant_folder(setup, m), *log = log_of(setup, m);
    const list run = words_of(m->run);
    make_folder(setup->work);
    /* The sources are safe: the mirror has only links to them. */
    const list clear = { (char *[]){ "rm", "-rf", (char *)folder, NULL }, 3 };
    if (run_command(&clear, setup->work, "/dev/null") != 0)
        fail("cannot remove %s", folder);
    make_folder(folder);
    /* A mutant of the CUDA engine is not compiled where it could not run. */
    if (*setup->probe && list_has(&run, "cuda")) {
        const list probe = { (char *[]){ (char *)setup->probe, "device", "--device", "cuda",
                                         "--group", "none", NULL },
                             6 };
        if (run_command(&probe, folder, log) == MUTANTS_SKIPPED)
            return skip(setup, m, "no usable CUDA device");
    }
    plant(setup, m, format("%s/tree", folder));
    list made = { NULL, 0 }, replaced = { NULL, 0 };
    const int status = compile(setup, m, &made, &replaced);
    if (status != MUTANTS_PASSED)
        return status;
    link_program(setup, m, &made, &replaced);
    return MUTANTS_PASSED;
}

/* Whether a program of the tests says that some of its checks failed. */
static int says_failed(const char *output)
{
    static const char word[] = " checks, ";
    for (const char *at = output; (at = strstr(at, word)) != NULL; at++) {
        const char *number = at + sizeof word - 1, *end = number + strspn(number, "0123456789");
        if (end > number && *number != '0' && strncmp(end, " failed", 7) == 0)
            return 1;
    }
    return 0;
}

/* Whether a signal says that the program itself failed, rather than that it was stopped. */
static int is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGABRT;
}

/* Runs the program, with fewer cases first (kit_short in tests/kit/kit.h): often they are enough.
 */
static int run_program(const build_setup *setup, const mutant *m, const list *command)
{
    const char *folder = mutant_folder(setup, m), *log = log_of(setup, m);
    setenv("EXACTNCC_TEST_SHORT", "1", 1);
    const int status = run_command(command, folder, log);
    unsetenv("EXACTNCC_TEST_SHORT");
    return status == 0 ? run_command(command, folder, log) : status;
}

int run_mutant(const build_setup *setup, const mutant *m)
{
    const char *folder = mutant_folder(setup, m);
    const char *skipped = read_file(format("%s/skipped", folder));
    if (skipped) {
        printf("%s: skipped: %s\n", m->name, skipped);
        return MUTANTS_SKIPPED;
    }
    list command = { NULL, 0 };
    const list words = words_of(m->run);
    list_add(&command, format("%s/program", folder));
    for (size_t i = 1; i < words.count; i++)
        list_add(&command, words.items[i]);
    list_add(&command, "--stop");
    if (access(command.items[0], X_OK) != 0)
        fail("%s: not built", m->name);
    const int status = run_program(setup, m, &command);
    const char *output = output_of(setup, m);
    if (status == MUTANTS_SKIPPED) {
        printf("%s: skipped by its run:\n%s", m->name, output);
        return MUTANTS_SKIPPED;
    }
    if (status < 0 && is_fault(-status))
        printf("%s: rejected by signal %d\n", m->name, -status);
    else if (status == 1 && says_failed(output))
        printf("%s: rejected:\n%s", m->name, output);
    else
        fail("%s survives `%s` (exit status %d):\n%s", m->name, m->run, status, output);
    return MUTANTS_PASSED;
}
