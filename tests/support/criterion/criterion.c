/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/turn.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of a test. 0 is no such: it would be one that something ended before its last line. */
enum { FAILED = 1, PASSED = 100, SKIPPED = 101 };

static struct unit_suite *suites;
static struct unit_test *tests, **last = &tests;
static const struct unit_test *running;
static bool failed;
static unsigned n_run, n_passed, n_failed;

void unit_add_suite(struct unit_suite *suite)
{
    suite->next = suites;
    suites = suite;
}

void unit_add_test(struct unit_test *test)
{
    *last = test;
    last = &test->next;
}

static void say(const char *file, int line, const char *expected, const char *format, va_list ap)
{
    printf("[----] %s:%d: %s:", file, line, expected);
    vprintf(format, ap);
    puts("");
    failed = true;
}

void unit_fails(const char *file, int line, const char *expected, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    say(file, line, expected, format, ap);
    va_end(ap);
}

void unit_ends(const char *file, int line, const char *expected, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    say(file, line, expected, format, ap);
    va_end(ap);
    fflush(stdout);
    _exit(FAILED);
}

void unit_skips(const char *format, ...)
{
    va_list ap;

    printf("[SKIP] %s::%s: ", running->suite, running->name);
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    puts("");
    fflush(stdout);
    _exit(SKIPPED);
}

/* In the test's own process. */
static void run_here(const struct unit_test *t, void *parameter)
{
    struct unit_around around = t->around;

    for (const struct unit_suite *s = suites; s; s = s->next)
        if (strcmp(s->name, t->suite) == 0 && !around.init && !around.fini)
            around = s->around;
    running = t;
    if (around.init)
        around.init();
    t->run(parameter);
    if (around.fini)
        around.fini();
        /* At exit ASan looks for memory that was left, which takes longer than most tests. */
#ifdef __SANITIZE_ADDRESS__
    fflush(stdout);
    if (!in_turn(n_run))
        _exit(failed ? FAILED : PASSED);
#endif
    exit(failed ? FAILED : PASSED);
}

static void run_one(const struct unit_test *t, void *parameter)
{
    int status = 0;
    pid_t child;

    n_run++;
    fflush(stdout);
    child = fork();
    if (child == 0)
        run_here(t, parameter);
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = FAILED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == PASSED) {
        n_passed++;
        return;
    }
    n_failed++;
    printf("[FAIL] %s::%s: %s %d\n", t->suite, t->name, WIFSIGNALED(status) ? "signal" : "exit status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void run(const struct unit_test *t)
{
    struct criterion_test_params all = { 0, 1, NULL };

    if (t->parameters)
        all = t->parameters();
    for (size_t i = 0; i < all.n; i++)
        run_one(t, all.data ? (char *)all.data + i * all.size : NULL);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const struct unit_test *t = tests; argc == 1 && t; t = t->next)
        run(t);
    for (int i = 1; i < argc; i++) {
        const struct unit_test *t = tests;

        while (t && strcmp(t->name, argv[i]) != 0)
            t = t->next;
        if (!t) {
            fprintf(stderr, "%s: no test is called %s\n", argv[0], argv[i]);
            return 2;
        }
        run(t);
    }
    printf("%u passed, %u failed\n", n_passed, n_failed);
    return n_failed > 0;
}
