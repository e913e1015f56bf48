/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of the tool. */
#ifndef APP_TOOL_OPTIONS_H
#define APP_TOOL_OPTIONS_H

#include "common/options.h"

/* Reads the arguments of a command (one of the bits in options.h; argv[0] is its name). program:
 * "exactncc find", for messages. Call tool_options_close whatever is returned. */
app_parsed tool_options_parse(unsigned command, const char *program, int argc, char **argv,
                              app_options *options, app_error *error);
void tool_options_close(app_options *options);

/* The options of a command, for --help. */
app_option_list tool_options_list(unsigned command, const char *program);

#endif
