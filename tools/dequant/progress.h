/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_PROGRESS_H
#define DEQUANT_PROGRESS_H

/* How far the work is, on stderr where that is a terminal, and nowhere else. */

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    int64_t bytes; /* to be read and written in all */
    int64_t done;
    double started;
    double shown; /* when last */
    bool terminal;
} progress;

progress progress_start(int64_t bytes);
void progress_advance(progress *so_far, int64_t bytes);

/* Ends the line with the throughput; returns the seconds since the start. */
double progress_end(const progress *so_far, bool complete);

#endif /* DEQUANT_PROGRESS_H */
