/* Copies structs that can grow. */
#include "base/options.h"

#include <stdint.h>
#include <string.h>

static xncc_status refuse_size(uint32_t given, size_t least, const char *name, xncc_error *error)
{
    return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                     "%s: its size is %u, but at least %zu is needed; initialize it with the macro "
                     "of its header that ends in _INIT",
                     name, (unsigned)given, least);
}

xncc_status xncc_read_options(void *to, size_t to_size, const void *from, size_t least,
                              const void *defaults, const char *name, xncc_error *error)
{
    uint32_t size = (uint32_t)to_size;
    memcpy(to, defaults, to_size);
    if (!from)
        return XNCC_OK;
    uint32_t given;
    memcpy(&given, from, sizeof given);
    if (given < least)
        return refuse_size(given, least, name, error);
    for (size_t i = to_size; i < given; i++)
        if (((const unsigned char *)from)[i] != 0)
            return xncc_fail(error, XNCC_ERROR_ARGUMENT,
                             "%s: byte %zu is set, but this version of exactncc knows only %zu "
                             "bytes; use a newer library or the older header",
                             name, i, to_size);
    memcpy(to, from, given < to_size ? given : to_size);
    memcpy(to, &size, sizeof size);
    return XNCC_OK;
}

xncc_status xncc_give_info(void *to, const void *from, size_t size, size_t least, const char *name,
                           xncc_error *error)
{
    uint32_t given;
    memcpy(&given, to, sizeof given);
    if (given < least)
        return refuse_size(given, least, name, error);
    memset(to, 0, given);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &given, sizeof given);
    return xncc_done(XNCC_OK, error);
}
