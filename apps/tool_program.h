/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs with commands, exactncc and exactncc-mpi, say of themselves: help, the same as
 * JSON, the version, and errors of the command line. */
#ifndef APP_TOOL_PROGRAM_H
#define APP_TOOL_PROGRAM_H

#include "common/option_help.h"

enum { TOOL_MANY = 1 << 30, TOOL_NAME_SIZE = 40 };

/* Notes that several commands have. */
#define TOOL_NOTE_RECTANGLE                                                                        \
    "FILE@X,Y,W,H as TEMPLATE is the rectangle of W x H pixels at (X, Y) of FILE."
#define TOOL_NOTE_LIST "@LIST as IMAGE or TEMPLATE is a text file with one name per line."

typedef struct tool_command {
    unsigned bit;    /* APP_FIND, ... */
    int least, most; /* number of files */
    xncc_status (*run)(const app_options *options, app_error *error);
    app_manual manual;
} tool_command;

typedef struct tool_program {
    const char *name;    /* "exactncc" */
    const char *purpose; /* one line */
    const char *notes;   /* paragraphs, separated by line feeds */
    const tool_command *commands;
    int count;
    const app_option *instead; /* app_option_list */
    int instead_count;
} tool_program;

/* The command of that name; NULL: there is none. */
const tool_command *tool_find_command(const tool_program *program, const char *word);

/* Writes "exactncc find", for messages. */
void tool_command_name(const tool_program *program, const tool_command *command,
                       char full[TOOL_NAME_SIZE]);

/* Prints one line to stderr, whatever the names in the text contain. command: "" for the program.
 * Returns `status`. */
int tool_complain(const tool_program *program, const char *command, const char *text, int status);

/* Fails if the command does not take so many files. */
xncc_status tool_check_files(const tool_program *program, const tool_command *command,
                             const app_options *options, app_error *error);

/* Each prints to stdout and returns the exit status. */
int tool_print_help(const tool_program *program, const tool_command *command);
int tool_print_version(const tool_program *program);

/* Whether the first word asks for nothing but text: --help, --version and their like. */
int tool_only_asks(const char *word);

/* A command line that does not begin with a command: prints what it asks for, or why it is wrong.
 * Returns the exit status. */
int tool_tell(const tool_program *program, int argc, char **argv);

#endif
