/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/libc.c: the functions of string.h that the payload may use, and that a compiler may call unasked.
 *
 * String instructions and barriers, because a compiler that sees a plain loop here replaces it by a call to the very
 * function that it is compiling. The direction flag is clear, as the calling convention has it.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KEEP_LOOP() __asm__ volatile("" : : : "memory")

void *memcpy(void *to, const void *from, size_t n)
{
    void *d = to;
    size_t words = n / 8, rest = n % 8;

    __asm__ volatile("rep movsq" : "+D"(d), "+S"(from), "+c"(words) : : "memory");
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(rest) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *d = to;
    const unsigned char *s = from;

    if ((uintptr_t)d - (uintptr_t)s >= n) /* also where it lies below: the difference wraps */
        return memcpy(to, from, n);
    while (n > 0) {
        n--;
        d[n] = s[n];
        KEEP_LOOP();
    }
    return to;
}

void *memset(void *to, int value, size_t n)
{
    void *d = to;
    uint64_t pattern = (unsigned char)value * UINT64_C(0x0101010101010101);
    size_t words = n / 8, rest = n % 8;

    __asm__ volatile("rep stosq" : "+D"(d), "+c"(words) : "a"(pattern) : "memory");
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(rest) : "a"(pattern) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
        KEEP_LOOP();
    }
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0') {
        n++;
        KEEP_LOOP();
    }
    return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];

        if (x != y)
            return x < y ? -1 : 1;
        if (x == '\0')
            break;
        KEEP_LOOP();
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}
