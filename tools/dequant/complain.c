/* SPDX-License-Identifier: Apache-2.0 */
#include "complain.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int complain(const int code, const char *const format, ...)
{
    char line[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at != '\0'; ++at) {
        if (iscntrl((unsigned char)*at)) {
            *at = '?';
        }
    }
    fprintf(stderr, "dequant: %s\n", line);
    return code;
}
