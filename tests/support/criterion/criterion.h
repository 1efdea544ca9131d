/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/criterion/criterion.h: a program of tests, in those words of Criterion that they use.
 *
 * Each test is a fork of the program: nothing of one is left to the next, and it costs a fork. (Criterion starts the program again for
 * each, a fifth of a second under ASan, and does not start under ThreadSanitizer.) main() is in criterion.c:
 *
 *   PROGRAM [NAME...]    all tests, or those of these names; the last line is "N passed, N failed", exit status 1: one failed
 *
 * cr_expect*() and what it is given after what is expected (as printf() has it) note a failure, cr_assert*() end the test with it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct criterion_test_params {
    size_t size, n;
    void *data;
};

/* What is done around a test. */
struct unit_around {
    void (*init)(void), (*fini)(void);
};

struct unit_suite {
    const char *name;
    struct unit_around around;
    struct unit_suite *next;
};

struct unit_test {
    const char *suite, *name;
    void (*run)(void *parameter);
    struct criterion_test_params (*parameters)(void); /* NULL: it has none */
    struct unit_around around;                        /* instead of the suite's */
    struct unit_test *next;
};

void unit_add_suite(struct unit_suite *suite);
void unit_add_test(struct unit_test *test);
__attribute__((format(printf, 4, 5))) void unit_fails(const char *file, int line, const char *expected,
                                                      const char *format, ...);
__attribute__((format(printf, 4, 5), noreturn)) void unit_ends(const char *file, int line, const char *expected,
                                                               const char *format, ...);
__attribute__((format(printf, 1, 2), noreturn)) void unit_skips(const char *format, ...);

/* .init and .fini: around each test of the suite, or around this one. */
#define TestSuite(suite, ...)                                                                                          \
    __attribute__((constructor)) static void suite##_add(void)                                                         \
    {                                                                                                                  \
        static struct unit_suite row = { #suite, { __VA_ARGS__ }, NULL };                                              \
        unit_add_suite(&row);                                                                                          \
    }
#define UNIT_ADD(suite, test, parameters, ...)                                                                         \
    __attribute__((constructor)) static void suite##_##test##_add(void)                                                \
    {                                                                                                                  \
        static struct unit_test row = { #suite, #test, suite##_##test##_run, parameters, { __VA_ARGS__ }, NULL };      \
        unit_add_test(&row);                                                                                           \
    }
#define Test(suite, test, ...)                                                                                         \
    static void suite##_##test(void);                                                                                  \
    static void suite##_##test##_run(void *parameter)                                                                  \
    {                                                                                                                  \
        (void)parameter;                                                                                               \
        suite##_##test();                                                                                              \
    }                                                                                                                  \
    UNIT_ADD(suite, test, NULL, ##__VA_ARGS__)                                                                         \
    static void suite##_##test(void)

/* A test for each of the parameters. */
#define ParameterizedTestParameters(suite, test) static struct criterion_test_params suite##_##test##_parameters(void)
#define ParameterizedTest(parameter, suite, test, ...)                                                                 \
    static void suite##_##test(parameter);                                                                             \
    static void suite##_##test##_run(void *of)                                                                         \
    {                                                                                                                  \
        suite##_##test(of);                                                                                            \
    }                                                                                                                  \
    UNIT_ADD(suite, test, suite##_##test##_parameters, ##__VA_ARGS__)                                                  \
    static void suite##_##test(parameter)
#define cr_make_param_array(type, array, count) ((struct criterion_test_params){ sizeof(type), (count), (array) })

#define cr_skip_test(...)   unit_skips(__VA_ARGS__)
#define cr_log_info(...)    (printf("[INFO] " __VA_ARGS__), puts(""))
#define cr_log_error(...)   (printf("[ERR ] " __VA_ARGS__), puts(""))
#define cr_expect_fail(...) unit_fails(__FILE__, __LINE__, "", " " __VA_ARGS__)
#define cr_assert_fail(...) unit_ends(__FILE__, __LINE__, "", " " __VA_ARGS__)

#define UNIT_WANT(otherwise, condition, expected, ...)                                                                 \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            otherwise(__FILE__, __LINE__, expected, " " __VA_ARGS__);                                                  \
    } while (0)
#define cr_expect(c, ...)           UNIT_WANT(unit_fails, (c), #c, ##__VA_ARGS__)
#define cr_expect_not(c, ...)       UNIT_WANT(unit_fails, !(c), "not " #c, ##__VA_ARGS__)
#define cr_expect_null(p, ...)      UNIT_WANT(unit_fails, (p) == NULL, #p " == NULL", ##__VA_ARGS__)
#define cr_expect_not_null(p, ...)  UNIT_WANT(unit_fails, (p) != NULL, #p " != NULL", ##__VA_ARGS__)
#define cr_expect_eq(a, b, ...)     UNIT_WANT(unit_fails, (a) == (b), #a " == " #b, ##__VA_ARGS__)
#define cr_expect_neq(a, b, ...)    UNIT_WANT(unit_fails, (a) != (b), #a " != " #b, ##__VA_ARGS__)
#define cr_expect_lt(a, b, ...)     UNIT_WANT(unit_fails, (a) < (b), #a " < " #b, ##__VA_ARGS__)
#define cr_expect_leq(a, b, ...)    UNIT_WANT(unit_fails, (a) <= (b), #a " <= " #b, ##__VA_ARGS__)
#define cr_expect_gt(a, b, ...)     UNIT_WANT(unit_fails, (a) > (b), #a " > " #b, ##__VA_ARGS__)
#define cr_expect_geq(a, b, ...)    UNIT_WANT(unit_fails, (a) >= (b), #a " >= " #b, ##__VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) UNIT_WANT(unit_fails, strcmp((a), (b)) == 0, "strings " #a " == " #b, ##__VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)                                                                                   \
    UNIT_WANT(unit_fails, strcmp((a), (b)) != 0, "strings " #a " != " #b, ##__VA_ARGS__)
#define cr_expect_str_empty(a, ...) UNIT_WANT(unit_fails, *(a) == 0, #a " is empty", ##__VA_ARGS__)
#define cr_expect_arr_eq(a, b, bytes, ...)                                                                             \
    UNIT_WANT(unit_fails, memcmp((a), (b), (bytes)) == 0, "bytes " #a " == " #b, ##__VA_ARGS__)
#define cr_expect_float_eq(a, b, off, ...)                                                                             \
    UNIT_WANT(unit_fails, __builtin_fabs((a) - (b)) <= (off), #a " == " #b " +- " #off, ##__VA_ARGS__)
#define cr_assert(c, ...)            UNIT_WANT(unit_ends, (c), #c, ##__VA_ARGS__)
#define cr_assert_not(c, ...)        UNIT_WANT(unit_ends, !(c), "not " #c, ##__VA_ARGS__)
#define cr_assert_null(p, ...)       UNIT_WANT(unit_ends, (p) == NULL, #p " == NULL", ##__VA_ARGS__)
#define cr_assert_not_null(p, ...)   UNIT_WANT(unit_ends, (p) != NULL, #p " != NULL", ##__VA_ARGS__)
#define cr_assert_eq(a, b, ...)      UNIT_WANT(unit_ends, (a) == (b), #a " == " #b, ##__VA_ARGS__)
#define cr_assert_neq(a, b, ...)     UNIT_WANT(unit_ends, (a) != (b), #a " != " #b, ##__VA_ARGS__)
#define cr_assert_lt(a, b, ...)      UNIT_WANT(unit_ends, (a) < (b), #a " < " #b, ##__VA_ARGS__)
#define cr_assert_leq(a, b, ...)     UNIT_WANT(unit_ends, (a) <= (b), #a " <= " #b, ##__VA_ARGS__)
#define cr_assert_gt(a, b, ...)      UNIT_WANT(unit_ends, (a) > (b), #a " > " #b, ##__VA_ARGS__)
#define cr_assert_geq(a, b, ...)     UNIT_WANT(unit_ends, (a) >= (b), #a " >= " #b, ##__VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)  UNIT_WANT(unit_ends, strcmp((a), (b)) == 0, "strings " #a " == " #b, ##__VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) UNIT_WANT(unit_ends, strcmp((a), (b)) != 0, "strings " #a " != " #b, ##__VA_ARGS__)
#define cr_assert_float_eq(a, b, off, ...)                                                                             \
    UNIT_WANT(unit_ends, __builtin_fabs((a) - (b)) <= (off), #a " == " #b " +- " #off, ##__VA_ARGS__)
