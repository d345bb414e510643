/* SPDX-License-Identifier: Apache-2.0 */

/*
 * a65_dequant_contract [SUITE]
 *
 * Runs every suite, or the one named. SIMA_TEST_SEED sets the seed of the random parts.
 */

#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t test_seed = SIMA_TEST_DEFAULT_SEED;

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
    {"numbers", numbers_suite},
    {"admission", admission_suite},
    {"dispatch", dispatch_suite},
    {"execute", execute_suite},
    {"fpenv", fpenv_suite},
    {"layout", layout_suite},
    {"harness", harness_suite},
    {"ties", ties_suite},
    {"tile", tile_suite},
    {"traversal", traversal_suite},
    {"kernels", kernels_suite},
    {"random_layouts", random_layouts_suite},
    {"layout_check", layout_check_suite},
};

int main(const int argc, char **const argv)
{
    const char *const wanted = argc > 1 ? argv[1] : NULL;
    const char *const seed = getenv("SIMA_TEST_SEED");
    SRunner *runner = NULL;
    if (seed != NULL) {
        test_seed = strtoull(seed, NULL, 0);
    }
    printf("seed %llu\n", (unsigned long long)test_seed);
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; ++i) {
        if (wanted != NULL && strcmp(wanted, suites[i].name) != 0) {
            continue;
        }
        if (runner == NULL) {
            runner = srunner_create(suites[i].make());
        } else {
            srunner_add_suite(runner, suites[i].make());
        }
    }
    if (runner == NULL) {
        fprintf(stderr, "no suite is named '%s'\n", wanted);
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_NORMAL);
    const int ran = srunner_ntests_run(runner);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return ran > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
