/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/heap.h"

#include <criterion/criterion.h>

#include "tests/support/machine/heap_host.h"

Test(heap, doubles_at_least_and_keeps_what_was_there)
{
    uint32_t *numbers = NULL;
    size_t capacity = 0, before, grown = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        before = capacity;
        cr_assert(HEAP_GROW(&numbers, &capacity, i + 1));
        cr_assert(capacity >= i + 1 && (capacity == 256 || capacity <= 2 * (i + 1)));
        grown += capacity != before;
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert_eq(numbers[i], i);
    cr_expect_eq(grown, 3, "1 KiB, 2, 4");
    cr_assert(HEAP_GROW(&numbers, &capacity, 5000));
    cr_expect(capacity == 5000 && numbers[999] == 999 && numbers[4999] == 0);
    heap_free(numbers);
}

Test(heap, without_memory_nothing_changes)
{
    uint32_t *numbers = NULL, *first;
    size_t capacity = 0;

    cr_assert(HEAP_GROW(&numbers, &capacity, 1));
    first = numbers;
    *first = 7;
    heap_host_grants = 0;
    cr_expect(HEAP_GROW(&numbers, &capacity, 256), "there is room for it");
    cr_expect_not(HEAP_GROW(&numbers, &capacity, 257));
    heap_host_grants = UINT32_MAX;
    cr_expect(numbers == first && capacity == 256 && *numbers == 7);
    heap_free(numbers);
}
