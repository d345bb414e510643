/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_SELECT_H
#define SIMAAI_KERNELS_RUNTIME_A65_SELECT_H

/* Which kernel serves a request: a look-up by integers and the scale's bits. */

#include "dequant_kernel.h"

#include <stdbool.h>

/* Whether 2^23 + 128 + (float)zero_point is a binary32: what makes a zero point biased. */
bool sima_a65_dequant_has_bias(int32_t zero_point);

/* Elements of a span from which on a kernel with a long set-up is worth it. */
enum { SIMA_A65_DEQUANT_LONG_SPAN = 8192 };

sima_a65_dequant_length sima_a65_dequant_length_of(int64_t span);

/* The kernel of a family for spans of `span` elements (0 counts as 1). Never NULL for an admitted
 * request: the generator has filled every cell. */
const sima_a65_dequant_kernel *sima_a65_dequant_select(const sima_a65_dequant_family *family,
                                                       sima_a65_dequant_output output,
                                                       const sima_dequant_params *params,
                                                       int64_t span);

/* The kernel of a family for planes of a shape, or NULL where it has none. */
const sima_a65_dequant_kernel *sima_a65_dequant_select_plane(const sima_a65_dequant_family *family,
                                                             sima_a65_dequant_output output,
                                                             const sima_dequant_params *params,
                                                             sima_a65_dequant_shape shape);

/* The first one for a length that is known by name: SIMA_A65_DEQUANT_STREAM is asked for so. */
const sima_a65_dequant_kernel *sima_a65_dequant_select_for(const sima_a65_dequant_family *family,
                                                           sima_a65_dequant_output output,
                                                           const sima_dequant_params *params,
                                                           sima_a65_dequant_length length);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_SELECT_H */
