/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/linux/load.c: a known load, and what the virtual silicon itself says about it. Runs in the guest, as a program.
 *
 *   load read|write BYTES PASSES NODE|- FOLDER|-
 *       touch one word of each line of a buffer of so many bytes, so many times after a first time that brings the
 *       caches into the state that lasts; the buffer is of that node's memory, or of the processor's own. Prints
 *       "rmid R clos C all A lines L total T local M": what it ran under, and in bytes what it moved to the L3 with the
 *       first time, what of it is in the L3 now and what it moved there after the first time; with a folder of
 *       resctrl's mon_data also "seen_lines L seen_total T seen_local M": the same by the files that are there
 *   load truth DOMAIN RMID
 *       prints "lines L total T local M" in bytes, since the silicon's start
 *   load truths DOMAIN RMIDS
 *       the same for so many RMIDs, a line each with "rmid R" in front
 *   load feed 0|1
 *       whether memory accesses reach the silicon; read and write have them do so while they touch
 *   load domain
 *       prints the number of the L3 that this processor fills
 *   load rdmsr NUMBER
 *       prints that register of this processor in hexadecimal digits
 *   load wrmsr NUMBER VALUE
 *       writes it
 *   load rdpci BUS/DEVICE.FUNCTION OFFSET
 *   load wrpci BUS/DEVICE.FUNCTION OFFSET VALUE
 *       the same with eight bytes of configuration space, as two of four; the function as /proc/bus/pci names it
 *
 * Wants /dev/cpu/N/msr and the probe's registers (run-silicon --probe). Stays on the processor that it starts on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/silicon/model/probe.h"

#define IA32_PQR_ASSOC 0xC8Fu
#define LINE           64u
#define PAGE           4096u
#define MPOL_BIND      2

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 0);

    if (end == text || *end) {
        errno = EINVAL;
        die(text);
    }
    return value;
}

/* --- registers of the processor that we are on -------------------------------------------------------------------- */

static int msr_file = -1;

static void stay_here(void)
{
    int cpu = sched_getcpu();
    char path[32];
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    msr_file = open(path, O_RDWR);
    if (sched_setaffinity(0, sizeof set, &set) || msr_file < 0)
        die(path);
}

static bool rdmsr_try(uint32_t msr, uint64_t *value)
{
    return pread(msr_file, value, sizeof *value, msr) == sizeof *value;
}

static uint64_t rdmsr(uint32_t msr)
{
    uint64_t value;

    if (!rdmsr_try(msr, &value))
        die("RDMSR");
    return value;
}

static void wrmsr(uint32_t msr, uint64_t value)
{
    if (pwrite(msr_file, &value, sizeof value, msr) != sizeof value)
        die("WRMSR");
}

/* The lower half first, as drivers do. */
static uint64_t pci(const char *function, uint64_t offset, const uint64_t *value)
{
    char path[64];
    uint32_t half[2] = { 0, 0 };
    int file;

    snprintf(path, sizeof path, "/proc/bus/pci/%s", function);
    file = open(path, O_RDWR);
    if (file < 0)
        die(path);
    for (unsigned i = 0; i < 2; i++) {
        off_t at = (off_t)(offset + i * sizeof half[i]);

        if (value)
            half[i] = (uint32_t)(*value >> 32 * i);
        if ((value ? pwrite(file, &half[i], sizeof half[i], at) : pread(file, &half[i], sizeof half[i], at)) !=
            (ssize_t)sizeof half[i])
            die(path);
    }
    close(file);
    return (uint64_t)half[1] << 32 | half[0];
}

/* --- the silicon's own figures, in bytes -------------------------------------------------------------------------- */

struct figures {
    uint64_t lines, total, local;
};

static struct figures truth(uint32_t domain, uint32_t rmid)
{
    struct figures f;

    wrmsr(PROBE_SELECT, (uint64_t)domain << 32 | rmid);
    f.lines = rdmsr(PROBE_LINES) * LINE;
    f.total = rdmsr(PROBE_TOTAL) * LINE;
    f.local = rdmsr(PROBE_LOCAL) * LINE;
    return f;
}

static uint64_t file_number(const char *folder, const char *name)
{
    char path[256], text[32] = "";
    ssize_t n;
    int file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = open(path, O_RDONLY);
    if (file < 0)
        return 0; /* a part that does not have this event */
    n = read(file, text, sizeof text - 1);
    close(file);
    if (n <= 0)
        die(path);
    text[strcspn(text, "\n")] = 0;
    return number(text);
}

static struct figures seen(const char *folder)
{
    if (!strcmp(folder, "-"))
        return (struct figures){ 0 };
    return (struct figures){ file_number(folder, "llc_occupancy"), file_number(folder, "mbm_total_bytes"),
                             file_number(folder, "mbm_local_bytes") };
}

static void print(struct figures f)
{
    printf("lines %llu total %llu local %llu\n", (unsigned long long)f.lines, (unsigned long long)f.total,
           (unsigned long long)f.local);
}

/* --- the load */

static volatile uint64_t *buffer(uint64_t bytes, const char *node)
{
    uint64_t feeding;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        die("mmap");
    if (strcmp(node, "-") != 0) {
        unsigned long mask = 1ul << number(node);

        if (syscall(SYS_mbind, memory, bytes, MPOL_BIND, &mask, 8 * sizeof mask, 0))
            die("mbind");
    }
    /* Its pages come to be while nothing is counted: the kernel clears them byte by byte, which would take longer than
     * all the rest. */
    feeding = rdmsr(PROBE_FEED);
    wrmsr(PROBE_FEED, 0);
    for (uint64_t i = 0; i < bytes; i += PAGE)
        ((volatile uint8_t *)memory)[i] = 1;
    wrmsr(PROBE_FEED, feeding);
    return memory;
}

static uint64_t touch(volatile uint64_t *words, uint64_t bytes, uint64_t passes, bool store)
{
    uint64_t sum = 0;

    for (uint64_t pass = 0; pass < passes; pass++) {
        for (uint64_t i = 0; i < bytes / sizeof *words; i += LINE / sizeof *words) {
            if (store)
                words[i] = pass;
            else
                sum += words[i];
        }
    }
    return sum;
}

static int load(bool store, uint64_t bytes, uint64_t passes, const char *node, const char *folder)
{
    volatile uint64_t *words = buffer(bytes, node);
    uint64_t pqr = 0, sum = 0; /* a part without RDT: all is RMID 0's */
    uint32_t rmid, clos, domain = (uint32_t)rdmsr(PROBE_DOMAIN);
    uint64_t feeding;
    struct figures seen_before, before, after, seen_after, first;

    (void)rdmsr_try(IA32_PQR_ASSOC, &pqr);
    rmid = pqr & 0x3FF;
    clos = (uint32_t)(pqr >> 32);
    first = truth(domain, rmid);
    feeding = rdmsr(PROBE_FEED);
    wrmsr(PROBE_FEED, 1);
    sum += touch(words, bytes, 1, store);
    seen_before = seen(folder);
    before = truth(domain, rmid);
    sum += touch(words, bytes, passes, store);
    after = truth(domain, rmid);
    seen_after = seen(folder);
    wrmsr(PROBE_FEED, feeding);
    first.total = truth(domain, rmid).total - first.total;
    after.total -= before.total;
    after.local -= before.local;
    printf("rmid %u clos %u all %llu ", rmid, clos, (unsigned long long)first.total);
    print(after);
    if (strcmp(folder, "-") != 0)
        printf("seen_lines %llu seen_total %llu seen_local %llu\n", (unsigned long long)seen_after.lines,
               (unsigned long long)(seen_after.total - seen_before.total),
               (unsigned long long)(seen_after.local - seen_before.local));
    return sum == UINT64_MAX; /* never; so the reads are not left out */
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    stay_here();
    if (argc == 6 && (!strcmp(what, "read") || !strcmp(what, "write")))
        return load(!strcmp(what, "write"), number(argv[2]), number(argv[3]), argv[4], argv[5]);
    if (argc == 4 && !strcmp(what, "truth")) {
        print(truth((uint32_t)number(argv[2]), (uint32_t)number(argv[3])));
    } else if (argc == 4 && !strcmp(what, "truths")) {
        for (uint32_t rmid = 0; rmid < number(argv[3]); rmid++) {
            printf("rmid %u ", rmid);
            print(truth((uint32_t)number(argv[2]), rmid));
        }
    } else if (argc == 3 && !strcmp(what, "feed")) {
        wrmsr(PROBE_FEED, number(argv[2]));
    } else if (argc == 2 && !strcmp(what, "domain")) {
        printf("%llu\n", (unsigned long long)rdmsr(PROBE_DOMAIN));
    } else if (argc == 4 && !strcmp(what, "wrmsr")) {
        wrmsr((uint32_t)number(argv[2]), number(argv[3]));
    } else if (argc == 4 && !strcmp(what, "rdpci")) {
        printf("%llx\n", (unsigned long long)pci(argv[2], number(argv[3]), NULL));
    } else if (argc == 5 && !strcmp(what, "wrpci")) {
        uint64_t value = number(argv[4]);

        pci(argv[2], number(argv[3]), &value);
    } else if (argc == 3 && !strcmp(what, "rdmsr")) {
        printf("%llx\n", (unsigned long long)rdmsr((uint32_t)number(argv[2])));
    } else {
        fprintf(stderr, "load: see the top of tests/linux/load.c\n");
        return 2;
    }
    return 0;
}
