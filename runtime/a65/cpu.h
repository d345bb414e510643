/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_CPU_H
#define SIMAAI_KERNELS_RUNTIME_A65_CPU_H

/* Which of the families in this build the processor and the operating system let run. */

#include "dequant_kernel.h"

#include <stdbool.h>

bool sima_a65_dequant_runs_here(const sima_a65_dequant_family *family);

/* The best family that runs here. Asked at each preparation: there is no state to keep. */
const sima_a65_dequant_family *sima_a65_dequant_best_family(void);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_CPU_H */
