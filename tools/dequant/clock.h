/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_CLOCK_H
#define DEQUANT_CLOCK_H

/* Seconds from some moment on that does not change while the program runs. */
double clock_seconds(void);

#endif /* DEQUANT_CLOCK_H */
