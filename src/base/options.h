/* Structs that can grow: each begins with its size. */
#ifndef XNCC_BASE_OPTIONS_H
#define XNCC_BASE_OPTIONS_H

#include "base/error.h"

#include <stddef.h>

/* Copies a caller's struct, whose first member is its size as a uint32_t.
 *
 * - to: receives to_size bytes: those of *from, and from its end on those of *defaults.
 * - from: NULL: only the defaults are copied.
 * - least: the size of the struct in version 1.0.
 * - name: of the struct's type, for error texts.
 *
 * Returns XNCC_OK, or XNCC_ERROR_ARGUMENT for a size below `least`, or above to_size if a byte
 * beyond to_size is not 0. */
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
