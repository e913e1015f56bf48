// The module exactncc._core: the library's calls, on views of arrays. SPDX-License-Identifier:
// BSD-2-Clause
#include "calls.h"
#include "plan.h"

NB_MODULE(_core, m)
{
    m.doc() = "The library's calls, on views of arrays. The package exactncc is the interface.";
    binding::bind_failures(m);
    binding::bind_context(m);
    binding::bind_views(m);
    binding::bind_tensors(m);
    binding::bind_rules(m);
    binding::bind_calls(m);
    binding::bind_track(m);
    binding::bind_plans(m);
    binding::bind_batches(m);
}
