/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/tsan/criterion/criterion.h: as much of Criterion as programs for ThreadSanitizer need.
 *
 * Criterion's own runner does not start under ThreadSanitizer (the arena that its processes inherit has no place in the
 * sanitizer's address space), so build/tsan/ has this header in its stead. Each test runs in a process of its own, and a
 * race that is reported fails it: the sanitizer's exit status is 66.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct tsan_test {
    const char *name;
    void (*run)(void);
    struct tsan_test *next;
};
static struct tsan_test *tsan_tests;
static bool tsan_failed;

#define Test(suite, test)                                                                                              \
    static void suite##_##test(void);                                                                                  \
    __attribute__((constructor)) static void suite##_##test##_add(void)                                                \
    {                                                                                                                  \
        static struct tsan_test row = { #suite "::" #test, suite##_##test, NULL };                                     \
        row.next = tsan_tests;                                                                                         \
        tsan_tests = &row;                                                                                             \
    }                                                                                                                  \
    static void suite##_##test(void)

#define cr_expect(condition, ...)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            tsan_failed = true;                                                                                        \
            printf("[----] %s:%d: %s is false\n", __FILE__, __LINE__, #condition);                                     \
        }                                                                                                              \
    } while (0)
#define cr_assert(condition, ...)                                                                                      \
    do {                                                                                                               \
        cr_expect(condition);                                                                                          \
        if (tsan_failed) {                                                                                             \
            fflush(stdout);                                                                                            \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define cr_expect_eq(a, b, ...)     cr_expect((a) == (b))
#define cr_assert_eq(a, b, ...)     cr_assert((a) == (b))
#define cr_expect_str_eq(a, b, ...) cr_expect(strcmp((a), (b)) == 0)
#define cr_assert_str_eq(a, b, ...) cr_assert(strcmp((a), (b)) == 0)

static bool tsan_passes(const struct tsan_test *t)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        t->run();
        exit(tsan_failed);
    }
    waitpid(child, &status, 0);
    if (status != 0)
        printf("[FAIL] %s: %s %d\n", t->name, WIFSIGNALED(status) ? "signal" : "exit status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return status == 0;
}

/* The last line is Criterion's, which scripts/run-tests reads. */
int main(void)
{
    unsigned tested = 0, passing = 0;

    for (const struct tsan_test *t = tsan_tests; t; t = t->next) {
        tested++;
        passing += tsan_passes(t);
    }
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: 0\n", tested, passing,
           tested - passing);
    return passing != tested;
}
