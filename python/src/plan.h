// Filters and plans. SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "rules.h"

namespace binding {

void bind_plans(nb::module_ &m);

} // namespace binding
