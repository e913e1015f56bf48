// The functions of one call. SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "rules.h"

namespace binding {

// Which matches are suppressed.
struct Suppress {
    xncc_suppress_rule c;
};

// A copy of memory as a bytearray.
nb::object bytes_of(const void *data, size_t size);

void bind_calls(nb::module_ &m);
void bind_track(nb::module_ &m);

} // namespace binding
