/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_COMPLAIN_H
#define DEQUANT_COMPLAIN_H

/* Says on stderr, in one line whatever a file's name or an argument holds, what is wrong; returns
 * `code`. */
__attribute__((format(printf, 2, 3))) int complain(int code, const char *format, ...);

#endif /* DEQUANT_COMPLAIN_H */
