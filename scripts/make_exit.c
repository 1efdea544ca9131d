/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/make_exit.c: a function for GNU make, $(exit-with FILE): end make with the status that stands in FILE.
 *
 * make itself ends with 2 whatever a recipe's status was, and `make run` promises to tell a failed check (1) from Assay
 * in trouble (2) and QEMU in trouble (3). Source: GNU make manual, "Loading Dynamic Objects".
 */
#include <gnumake.h>
#include <stdio.h>
#include <stdlib.h>

int plugin_is_GPL_compatible;
int make_exit_gmk_setup(void);

static char *exit_with(const char *, unsigned int, char **argv)
{
    FILE *f = fopen(argv[0], "r");
    int status = 0;

    if (!f || fscanf(f, "%d", &status) != 1) {
        fprintf(stderr, "make: no status in %s\n", argv[0]);
        status = 3;
    }
    if (status != 0)
        exit(status);
    fclose(f);
    return NULL;
}

int make_exit_gmk_setup(void)
{
    gmk_add_function("exit-with", exit_with, 1, 1, GMK_FUNC_DEFAULT);
    return 1;
}
