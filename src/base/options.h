/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs of the public interface that can grow. Their first member is `uint32_t size`, which their
 * initializer sets to the size that the struct had when the program was compiled. */
#ifndef XNCC_BASE_OPTIONS_H
#define XNCC_BASE_OPTIONS_H

#include "base/error.h"

#include <stddef.h>

/* The largest size that a struct may claim to have, in bytes. It bounds what is read when the
 * member is not initialized. */
enum { XNCC_OPTIONS_LARGEST = 4096 };

/* Checks the size that a program's struct claims to have. least, name: as below. Returns XNCC_OK,
 * or XNCC_ERROR_ARGUMENT with a text that names the initializer. */
xncc_status xncc_check_size(uint32_t size, size_t least, const char *name, xncc_error *error);

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

/* Copies a struct to a caller, whose struct begins with its size as a uint32_t, which is kept.
 *
 * - to: receives as much of *from as fits; what is beyond `size` bytes is set to 0.
 * - least, name: as above.
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a size below `least`. */
xncc_status xncc_give_info(void *to, const void *from, size_t size, size_t least, const char *name,
                           xncc_error *error);

/* Reads *from into *to. type: the struct. INIT: its initializer. last: its last member in version
 * 1.0, so that a caller's struct is at least as long. Returns a status. */
#define XNCC_READ(to, from, type, INIT, last, error)                                               \
    xncc_read_options((to), sizeof(type), (from), offsetof(type, last) + sizeof(to)->last,         \
                      &(const type)INIT, #type, error)

/* Writes *from to the caller's *to, as much of it as the caller's struct has. Returns a status. */
#define XNCC_GIVE(to, from, type, last, error)                                                     \
    xncc_give_info((to), (from), sizeof(type), offsetof(type, last) + sizeof(to)->last, #type,     \
                   (error))

#endif
