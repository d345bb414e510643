/* SPDX-License-Identifier: Apache-2.0 */

/* Compiled with various flags by the tests; see CMakeLists.txt. */

#include "build_policy.h"

int sima_test_translation_unit;
