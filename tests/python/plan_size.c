/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/a65/dequant.h>

_Static_assert(sizeof(sima_a65_dequant_plan) <= 128 * sizeof(uint64_t),
               "Plan in examples/python/dequant.py is too small");
