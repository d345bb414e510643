/* SPDX-License-Identifier: Apache-2.0 */

/*
 * a65_dequant_contract [SUITE]
 * a65_dequant_contract --sets
 *
 * Runs every suite, or the one named. SIMA_TEST_SEED sets the seed of the random parts. --sets says
 * which instruction sets of this build run here, and hashes what each computes: one number on
 * every machine. The suites call all kernels of the sets that run.
 */

#include "suites.h"

#include "cpu.h"
#include "outputs.h"

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
    {"hostile", hostile_suite},
    {"stores", stores_suite},
    {"ties", ties_suite},
    {"tile", tile_suite},
    {"traversal", traversal_suite},
    {"kernels", kernels_suite},
    {"random_layouts", random_layouts_suite},
    {"layout_check", layout_check_suite},
};

static void print_sets(void)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        if (sima_a65_dequant_runs_here(family)) {
            printf("%s: runs, outputs %016llx\n", family->isa,
                   (unsigned long long)outputs_hash(family));
        } else {
            printf("%s: compiled, does not run here\n", family->isa);
        }
    }
}

int main(const int argc, char **const argv)
{
    const char *const wanted = argc > 1 ? argv[1] : NULL;
    const char *const seed = getenv("SIMA_TEST_SEED");
    SRunner *runner = NULL;
    if (wanted != NULL && strcmp(wanted, "--sets") == 0) {
        print_sets();
        return EXIT_SUCCESS;
    }
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
