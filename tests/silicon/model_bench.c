/* tests/silicon/model_bench.c: what an access costs in the model, in nanoseconds of this machine.
 *
 * Prints one line a case and how often it is dearer than an L1 hit. For comparing two versions on one machine, not for
 * a limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/silicon/model.h"

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double cost(struct model *m, uint64_t base, uint64_t lines, uint64_t rounds, enum model_kind kind)
{
    double from = now_ns();

    for (uint64_t r = 0; r < rounds; r++)
        for (uint64_t i = 0; i < lines; i++)
            model_access(m, 0, base + i * 64, 8, kind);
    return (now_ns() - from) / (double)(lines * rounds);
}

int main(void)
{
    static const struct {
        const char *name;
        uint64_t bytes, rounds;
        enum model_kind kind;
    } cases[] = {
        { "L1 hit, load", 16 << 10, 20000, MODEL_LOAD },       { "L1 hit, store", 16 << 10, 20000, MODEL_STORE },
        { "L2 hit, load", 128 << 10, 1000, MODEL_LOAD },       { "L3 hit, load", 8 << 20, 20, MODEL_LOAD },
        { "L3 miss, load", 80 << 20, 2, MODEL_LOAD },          { "L3 miss, store", 80 << 20, 2, MODEL_STORE },
        { "non-temporal store", 80 << 20, 2, MODEL_NT_STORE },
    };
    struct model_config config = { .profile = "bdx" };
    char error[2048] = "";
    struct model *m = model_new(&config, error, sizeof error);
    double unit = 0, from, ns;

    if (!m) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cost(m, UINT64_C(1) << 32, cases[i].bytes / 64, 1, cases[i].kind);
        ns = cost(m, UINT64_C(1) << 32, cases[i].bytes / 64, cases[i].rounds, cases[i].kind);
        unit = i == 0 ? ns : unit;
        printf("model %-20s %8.1f ns %6.1f x L1\n", cases[i].name, ns, ns / unit);
    }
    from = now_ns();
    model_wbinvd(m, 0);
    ns = now_ns() - from;
    printf("model %-20s %8.0f ns\n", "WBINVD", ns);
    model_free(m);
    return EXIT_SUCCESS;
}
