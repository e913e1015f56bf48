/* Float pixels of the joint route: one build for each instruction set of `direct` (float_joint_body.h). */
#ifndef CM_CPU_FLOAT_JOINT_H
#define CM_CPU_FLOAT_JOINT_H

#include "cpu/kernel.h"

extern const cm_cpu_kernel cm_float_portable_joint;
extern const cm_cpu_kernel cm_float_avx2_joint;
extern const cm_cpu_kernel cm_float_avx512_joint;

#endif
