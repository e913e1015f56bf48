/* Float pixels of the joint route: one build for each instruction set of `direct`
 * (float_joint_body.h). */
#ifndef XNCC_CPU_FLOAT_JOINT_H
#define XNCC_CPU_FLOAT_JOINT_H

#include "cpu/kernel.h"

extern const xncc_cpu_kernel xncc_float_portable_joint;
extern const xncc_cpu_kernel xncc_float_avx2_joint;
extern const xncc_cpu_kernel xncc_float_avx512_joint;

#endif
