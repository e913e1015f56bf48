/* Structs of the public interface that can grow. Their first member is `uint32_t size`, which their
 * initializer sets to the size that the struct had when the program was compiled. */
#ifndef XNCC_BASE_OPTIONS_H
#define XNCC_BASE_OPTIONS_H

#include "base/error.h"

/* The largest size that a struct may claim to have, in bytes. It bounds what is read when the
 * member is not initialized. */
enum { XNCC_OPTIONS_LARGEST = 4096 };

/* Reads a struct of a program that may have been compiled for an older or a newer version of the
 * library.
 *
 * - to: receives the struct as this version has it: the defaults, with the members that the program
 *   has copied over them. Its member size is to_size. It must not overlap *from. Unchanged after a
 *   failure.
 * - to_size: the size of the struct in this version, 4 .. XNCC_OPTIONS_LARGEST.
 * - from: the program's struct; NULL means the defaults. An older one is shorter. A newer one is
 *   longer, and can be read if everything beyond to_size is 0. No byte beyond its size is read.
 * - least: the size of the struct in the first version that had it, 4 .. to_size. This is a fixed
 *   number, or offsetof and the size of a member; `sizeof` would grow with the struct.
 * - defaults: to_size bytes.
 * - name: the name of the type, as "xncc_find_options". The text of an error names the initializer
 *   after it: XNCC_FIND_OPTIONS_INIT.
 *
 * Returns XNCC_OK or XNCC_ERROR_ARGUMENT. */
xncc_status xncc_read_options(void *to, size_t to_size, const void *from, size_t least,
                              const void *defaults, const char *name, xncc_error *error);

#endif
