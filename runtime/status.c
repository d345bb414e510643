/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/status.h>

const char *sima_status_name(const sima_status status)
{
    switch (status) {
#define SIMA_NAME(value)                                                                           \
    case value:                                                                                    \
        return #value
        SIMA_NAME(SIMA_OK);
        SIMA_NAME(SIMA_INVALID_ARGUMENT);
        SIMA_NAME(SIMA_UNSUPPORTED_OPERATION);
        SIMA_NAME(SIMA_INVALID_ARITY);
        SIMA_NAME(SIMA_UNSUPPORTED_DTYPE);
        SIMA_NAME(SIMA_INVALID_SHAPE);
        SIMA_NAME(SIMA_SHAPE_MISMATCH);
        SIMA_NAME(SIMA_INVALID_LAYOUT);
        SIMA_NAME(SIMA_INVALID_PARAMETER);
        SIMA_NAME(SIMA_SIZE_OVERFLOW);
        SIMA_NAME(SIMA_NULL_BUFFER);
        SIMA_NAME(SIMA_MISALIGNED_BUFFER);
        SIMA_NAME(SIMA_BUFFER_TOO_SMALL);
        SIMA_NAME(SIMA_ADDRESS_OVERFLOW);
        SIMA_NAME(SIMA_OVERLAPPING_BUFFERS);
        SIMA_NAME(SIMA_UNSUPPORTED_ENVIRONMENT);
#undef SIMA_NAME
    }
    return "SIMA_UNKNOWN_STATUS";
}
