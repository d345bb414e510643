/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_FPENV_H
#define SIMAAI_KERNELS_RUNTIME_A65_FPENV_H

/*
 * Whether the calling thread computes as the kernels need it: rounding to nearest, subnormals kept
 * on both sides, no exception trapped. The mode is read and never written.
 */

#include <stdbool.h>

/* True where the mode is admitted. */
bool sima_fpenv_is_admitted(void);

/* What is wrong with the mode and what to do; only to be asked after a false answer. */
const char *sima_fpenv_complaint(void);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_FPENV_H */
