/* The CPU engine as the rest of the library sees it. */
#ifndef XNCC_CPU_CPU_H
#define XNCC_CPU_CPU_H

#include "engine/engine.h"

/* Makes the engine with its pool of threads; 0 threads: one per processor that this process may
 * use. XNCC_ERROR_ARGUMENT, XNCC_ERROR_MEMORY. Freed by its ops->destroy. */
xncc_status xncc_cpu_engine_create(int32_t threads, xncc_engine **engine, xncc_error *error);

/* The XNCC_CPU_* features that both the processor and the operating system have. */
uint32_t xncc_cpu_features(void);

/* The processors that this process may use (its affinity), at least 1. */
int32_t xncc_cpu_processors(void);

/* The instruction sets found, for people: "AVX2+FMA, AVX-VNNI, AVX-512 VNNI" or "baseline only".
 * The string is constant. */
const char *xncc_cpu_features_text(void);

/* The processor's own name, or its architecture where it tells none. The string is constant. */
const char *xncc_cpu_name(void);

#endif
