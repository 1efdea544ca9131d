/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz.h: what a fuzz target is.
 *
 * One file is one target and defines LLVMFuzzerTestOneInput. Built with clang -fsanitize=fuzzer it searches by itself; linked
 * with tests/fuzz/main.c instead it runs over a corpus and a fixed number of mutations of it, the same ones in every run, with
 * any compiler. tests/fuzz/build builds both, with the corpora.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stays on in every build, unlike assert(). */
#define MUST(condition) ((condition) ? (void)0 : __builtin_trap())

static inline size_t must_be_text(const char *text, size_t size) /* printable and ended within size */
{
    size_t n = 0;

    while (n < size && text[n] != '\0') {
        MUST(text[n] >= ' ' && text[n] <= '~');
        n++;
    }
    MUST(n < size);
    return n;
}
