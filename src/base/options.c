/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes structs that can grow. */
#include "base/options.h"

#include "exactncc/status.h"

#include <assert.h>
#include <string.h>

/* Writes the name of a type in capitals; a longer one than size is cut. */
static void to_capitals(const char *name, char *capitals, size_t size)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++)
        capitals[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    capitals[i] = 0;
}

xncc_status xncc_check_size(uint32_t size, size_t least, const char *name, xncc_error *error)
{
    if (size < least || size > XNCC_OPTIONS_LARGEST) {
        char capitals[64];
        to_capitals(name, capitals, sizeof capitals);
        return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                         "the size of a struct %s is %u, not %u .. %d; initialize it with %s_INIT",
                         name, (unsigned)size, (unsigned)least, XNCC_OPTIONS_LARGEST, capitals);
    }
    return XNCC_OK;
}

xncc_status xncc_read_options(void *to, size_t to_size, const void *from, size_t least,
                              const void *defaults, const char *name, xncc_error *error)
{
    uint32_t size = (uint32_t)to_size;
    assert(sizeof size <= least && least <= to_size && to_size <= XNCC_OPTIONS_LARGEST);
    if (from)
        memcpy(&size, from, sizeof size);
    const xncc_status status = xncc_check_size(size, least, name, error);
    if (status)
        return status;
    const unsigned char *byte = from;
    for (size_t i = to_size; i < size; i++)
        if (byte[i])
            return xncc_fail(
                error, XNCC_ERROR_ARGUMENT,
                "a struct %s was made for a newer version of the library: byte %u of "
                "%u is not 0, and version %s knows %u; leave the new members 0, or use "
                "a newer library",
                name, (unsigned)i, (unsigned)size, xncc_version(), (unsigned)to_size);
    const uint32_t whole = (uint32_t)to_size;
    memcpy(to, defaults, to_size);
    if (from)
        memcpy(to, from, size < to_size ? size : to_size);
    memcpy(to, &whole, sizeof whole);
    return XNCC_OK;
}

xncc_status xncc_give_info(void *to, const void *from, size_t size, size_t least, const char *name,
                           xncc_error *error)
{
    uint32_t given;
    assert(sizeof given <= least && least <= size);
    memcpy(&given, to, sizeof given);
    const xncc_status status = xncc_check_size(given, least, name, error);
    if (status)
        return status;
    memset(to, 0, given);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &given, sizeof given);
    return xncc_done(XNCC_OK, error);
}
