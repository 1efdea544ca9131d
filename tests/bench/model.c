/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/bench/model.c: what an access costs in the model, in nanoseconds of processor time of this machine.
 *
 * Prints one line a case, the least of several rounds, and how often it is dearer than an L1 hit. For comparing two
 * versions on one machine, not for a limit.
 *
 *   model_bench [PROFILE...]      bdx and skx without
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/silicon/model/model_state.h"

#define ROUNDS   5u
#define ACCESSES 4000000u /* of a round, at least */
#define BASE     (UINT64_C(1) << 32)

static const struct access_case {
    const char *name;
    uint64_t bytes;
    uint32_t step;
    enum model_kind kind;
} cases[] = {
    { "L1 hit, load", 16 << 10, 64, MODEL_LOAD },
    { "L1 hit, store", 16 << 10, 64, MODEL_STORE },
    { "L2 hit, load", 128 << 10, 64, MODEL_LOAD },
    { "L3 hit, load", 8 << 20, 64, MODEL_LOAD },
    { "L3 miss, load", 128 << 20, 64, MODEL_LOAD },
    { "L3 miss, store", 128 << 20, 64, MODEL_STORE },
    { "non-temporal store", 128 << 20, 64, MODEL_NT_STORE },
    { "stream, 8 byte load", 128 << 20, 8, MODEL_LOAD },
    { "stream, 8 byte store", 128 << 20, 8, MODEL_STORE },
};
#define CASES (sizeof cases / sizeof cases[0])

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pass(struct model *m, uint32_t cpu, uint64_t bytes, uint32_t step, enum model_kind kind)
{
    for (uint64_t a = 0; a < bytes; a += step)
        model_access(m, cpu, BASE + a, 8, kind);
}

static double cost(struct model *m, const struct access_case *c)
{
    uint64_t of_pass = c->bytes / c->step, passes = ACCESSES / of_pass + 1;
    double least = 1e18;

    for (uint32_t r = 0; r < ROUNDS; r++) {
        double from = now_ns(), ns;

        for (uint64_t k = 0; k < passes; k++)
            pass(m, 0, c->bytes, c->step, c->kind);
        ns = (now_ns() - from) / (double)(passes * of_pass);
        least = ns < least ? ns : least;
    }
    return least;
}

static struct model *make(const struct model_config *config)
{
    char error[2048] = "";
    struct model *m = model_new(config, error, sizeof error);

    if (!m)
        fprintf(stderr, "%s\n", error);
    return m;
}

static int bench(const char *profile)
{
    struct model_config config = { .profile = profile };
    struct model *m = make(&config);
    double unit = 0, from, ns;

    if (!m)
        return EXIT_FAILURE;
    for (size_t i = 0; i < CASES; i++) {
        ns = cost(m, &cases[i]);
        unit = i == 0 ? ns : unit;
        printf("model %s %-20s %8.1f ns %6.1f x L1\n", profile, cases[i].name, ns, ns / unit);
    }
    from = now_ns();
    model_wbinvd(m, 0);
    ns = now_ns() - from;
    printf("model %s %-20s %8.0f ns\n", profile, "WBINVD", ns);
    model_free(m);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return bench("bdx") | bench("skx");
    for (int i = 1; i < argc; i++)
        if (bench(argv[i]))
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
