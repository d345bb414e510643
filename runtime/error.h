/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_ERROR_H
#define SIMAAI_KERNELS_RUNTIME_ERROR_H

/* How the runtime speaks of errors: one static record a cause, copied out at the end of a call. */

#include <simaai/kernels/status.h>

#include <stddef.h>

enum { SIMA_NO_AXIS = -1 };

/* Keeps what only an error needs out of the way of a call that succeeds. */
#if defined(__GNUC__)
#define SIMA_COLD __attribute__((cold, noinline))
#else
#define SIMA_COLD
#endif

static inline sima_error sima_no_error(void)
{
    return (sima_error){SIMA_OK, SIMA_PORT_NONE, SIMA_NO_AXIS, ""};
}

static inline sima_error sima_error_at(const sima_status status, const sima_port port,
                                       const int32_t axis, const char *const message)
{
    return (sima_error){status, port, axis, message};
}

/* Hands the outcome to a caller who may not want the details. */
static inline sima_status sima_report(const sima_error outcome, sima_error *const error)
{
    if (error != NULL) {
        *error = outcome;
    }
    return outcome.status;
}

#endif /* SIMAAI_KERNELS_RUNTIME_ERROR_H */
