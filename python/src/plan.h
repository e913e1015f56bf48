// Filters, plans and batches. SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "rules.h"

namespace binding {

inline xncc_stream stream_of(uint64_t stream)
{
    return reinterpret_cast<xncc_stream>(uintptr_t(stream));
}

// The effort of a call on a stream, for an image in host or device memory.
Effort effort_on(const xncc_image &image, double templ_pixels, uint64_t stream,
                 nb::handle progress);

void bind_plans(nb::module_ &m);
void bind_batches(nb::module_ &m);

} // namespace binding
