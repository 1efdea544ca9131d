/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/bench/model.c: what an access costs in the model, in nanoseconds of processor time of this machine.
 *
 * Prints one line a case, the least of several rounds, and how often it is dearer than an L1 hit. For comparing two
 * versions on one machine, not for a limit.
 *
 *   model_bench [PROFILE...]      bdx and skx without
 *   model_bench --train           runs the same accesses on several small machines and says nothing: the compiler is
 *                                 told by it which way the model's branches go (Makefile)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* --- training */

/* An L3 of so few slices has room for the first many bytes together with the L2s, and none for the second. */
#define TRAIN_SLICES 2u
#define TRAIN_HITS   (2u << 20)
#define TRAIN_MISSES (6u << 20)

/* Each case by one processor, twice, and a part of what it left by each other one: of its core, of its L3, and of the
 * next package. */
static int train_on(const struct model_config *config, bool alone)
{
    struct model *m = make(config);

    if (!m)
        return EXIT_FAILURE;
    m->alone = alone;
    for (size_t i = 0; i < CASES; i++) {
        uint64_t bytes = cases[i].bytes > 8 << 20   ? TRAIN_MISSES
                         : cases[i].bytes > 1 << 20 ? TRAIN_HITS
                                                    : cases[i].bytes;

        for (uint32_t k = 0; k < 2; k++)
            pass(m, 0, bytes, cases[i].step, cases[i].kind);
        for (uint32_t cpu = 1; cpu < m->cpus; cpu++)
            pass(m, cpu, bytes / 16, cases[i].step, cases[i].kind);
        if (i % 4 == 3)
            model_wbinvd(m, 0);
    }
    for (uint64_t a = 0; a < TRAIN_HITS; a += 64)
        model_clflush(m, 0, BASE + a);
    model_free(m);
    return EXIT_SUCCESS;
}

static int train(void)
{
    static const char *const parts[] = { "bdx", "skx", "zen3" };
    int bad = 0;

    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
        for (uint32_t packages = 1; packages <= 2; packages++) {
            struct model_config config = {
                .profile = parts[p], .packages = packages, .cores = 2, .threads = 2, .slices = TRAIN_SLICES
            };

            bad |= train_on(&config, packages == 2);
        }
    return bad;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return bench("bdx") | bench("skx");
    if (!strcmp(argv[1], "--train"))
        return train();
    for (int i = 1; i < argc; i++)
        if (bench(argv[i]))
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
