/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rest of the library uses of the CPU engine. */
#ifndef XNCC_CPU_CPU_H
#define XNCC_CPU_CPU_H

#include "base/pool.h"
#include "cpu/cpu_kept.h"
#include "engine/engine.h"

/* Creates the engine with its pool of threads. threads: 1 .. 1024, or 0 for one per processor that
 * this process may use. The engine is freed by its ops->destroy.
 * Returns XNCC_ERROR_ARGUMENT or XNCC_ERROR_MEMORY on failure. */
xncc_status xncc_cpu_engine_create(int32_t threads, xncc_engine **engine, xncc_error *error);

/* Returns the threads of an engine that xncc_cpu_engine_create made. */
xncc_pool *xncc_cpu_engine_pool(xncc_engine *engine);

/* Returns the memory that the engine keeps for later calls. */
xncc_kept *xncc_cpu_engine_kept(xncc_engine *engine);

/* Returns the XNCC_CPU_* features that both the processor and the operating system support. */
uint32_t xncc_cpu_features(void);

/* Returns how many processors this process may use (its affinity mask), 1 .. 1024. */
int32_t xncc_cpu_processors(void);

/* Returns the supported instruction sets as text, for example "AVX2+FMA, AVX-VNNI, AVX-512 VNNI",
 * or "baseline only". The string is constant. */
const char *xncc_cpu_features_text(void);

/* Returns the processor's model name, or the machine's architecture if the model is unknown. The
 * string is constant. */
const char *xncc_cpu_name(void);

#endif
