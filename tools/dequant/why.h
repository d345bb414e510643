/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_WHY_H
#define DEQUANT_WHY_H

/* Bytes of a buffer for one line that says what is wrong. */
enum { WHY_SIZE = 160 };

#endif /* DEQUANT_WHY_H */
