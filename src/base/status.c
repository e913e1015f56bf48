#include "corrmatch/status.h"

#define TEXT_OF(x) #x
#define VERSION(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *cm_status_string(cm_status status)
{
    switch (status) {
    case CM_OK: return "done";
    case CM_ERROR_ARGUMENT: return "invalid argument";
    case CM_ERROR_MEMORY: return "out of memory";
    case CM_ERROR_UNSUPPORTED: return "not supported";
    case CM_ERROR_DEVICE: return "device error";
    case CM_ERROR_INTERNAL: return "internal error";
    }
    return "unknown status";
}

const char *cm_version(void)
{
    return VERSION(CM_VERSION_MAJOR, CM_VERSION_MINOR, CM_VERSION_PATCH);
}
