/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/plugin_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define MAX_ARGUMENTS 96
static char *arguments[MAX_ARGUMENTS]; /* QEMU frees its own after installation; the configuration points into these */

static uint64_t number(const char *key, const char *text, char **end)
{
    char *stop;
    uint64_t value;

    errno = 0;
    value = strtoull(text, &stop, 0);
    if (stop == text || errno || (!end && *stop))
        plugin_die("%s=%s: not a number", key, text);
    if (end)
        *end = stop;
    return value;
}

static void add_range(const char *text)
{
    struct range *r = &plugin.ranges[plugin.n_ranges];
    char *p;

    if (plugin.n_ranges == MAX_RANGES)
        plugin_die("more than %d mem=", MAX_RANGES);
    r->node = (uint32_t)number("mem", text, &p);
    if (*p != ':')
        plugin_die("mem=%s: NODE:BASE:SIZE is wanted", text);
    r->base = number("mem", p + 1, &p);
    if (*p != ':')
        plugin_die("mem=%s: NODE:BASE:SIZE is wanted", text);
    r->bytes = number("mem", p + 1, NULL);
    plugin.n_ranges++;
}

static void add_fault(const char *name)
{
    for (uint32_t n = 0; n < MODEL_MAX_FAULTS; n++)
        if (!plugin.config.faults[n]) {
            plugin.config.faults[n] = name;
            return;
        }
    plugin_die("more than %d fault=", MODEL_MAX_FAULTS);
}

static int by_base(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return x->base < y->base ? -1 : x->base > y->base;
}

/* The pieces as well, which are as given. */
static void join_ranges(void)
{
    for (plugin.n_pieces = 0; plugin.n_pieces < plugin.n_ranges; plugin.n_pieces++)
        plugin.pieces[plugin.n_pieces] = (struct piece){ .base = plugin.ranges[plugin.n_pieces].base,
                                                         .bytes = plugin.ranges[plugin.n_pieces].bytes };
    memcpy(plugin.ram, plugin.ranges, sizeof plugin.ram);
    qsort(plugin.ram, plugin.n_ranges, sizeof plugin.ram[0], by_base);
    for (uint32_t i = 0; i < plugin.n_ranges; i++) {
        if (plugin.n_ram > 0 &&
            plugin.ram[plugin.n_ram - 1].base + plugin.ram[plugin.n_ram - 1].bytes == plugin.ram[i].base)
            plugin.ram[plugin.n_ram - 1].bytes += plugin.ram[i].bytes;
        else
            plugin.ram[plugin.n_ram++] = plugin.ram[i];
    }
}

/* The guest's TSC runs at the host's rate; 50 ms give it to about 1 in 10^5. */
static uint64_t measure_tsc_hz(void)
{
    struct timespec a, b;
    uint64_t from, to;
    double seconds;

    clock_gettime(CLOCK_MONOTONIC, &a);
    from = __rdtsc();
    do {
        clock_gettime(CLOCK_MONOTONIC, &b);
        to = __rdtsc();
        seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    } while (seconds < 0.05);
    return (uint64_t)((double)(to - from) / seconds);
}

static void map_page(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0)
        plugin_die("page=%s: %s", path, strerror(errno));
    if ((uint64_t)st.st_size != CHANNEL_BYTES)
        plugin_die("page=%s: %lld bytes, %u are wanted", path, (long long)st.st_size, CHANNEL_BYTES);
    plugin.channel = mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (plugin.channel == MAP_FAILED)
        plugin_die("page=%s: %s", path, strerror(errno));
    memset(plugin.channel, 0, CHANNEL_BYTES);
}

static void take_argument(const char *arg, const char **page)
{
    size_t length = strcspn(arg, "=");
    const char *value = arg + length + 1;
    char error[512] = "", *end;

    if (arg[length] != '=')
        plugin_die("argument %s: KEY=VALUE is wanted", arg);
#define KEY(name) (length == sizeof(name) - 1 && memcmp(arg, name, length) == 0)
    if (KEY("page")) {
        *page = value;
    } else if (KEY("profile")) {
        plugin.config.profile = value;
    } else if (KEY("machine")) {
        plugin.recording = recording_open(value, error, sizeof error);
        if (!plugin.recording)
            plugin_die("machine=%s: %s", value, error);
        plugin.config.recording = plugin.recording;
    } else if (KEY("grid")) {
        plugin.grid_cores = (uint32_t)number("grid", value, &end);
        if (*end != ':')
            plugin_die("grid=%s: CORES:THREADS is wanted", value);
        plugin.grid_threads = (uint32_t)number("grid", end + 1, NULL);
    } else if (KEY("packages")) {
        plugin.config.packages = (uint32_t)number("packages", value, NULL);
    } else if (KEY("cores")) {
        plugin.config.cores = (uint32_t)number("cores", value, NULL);
    } else if (KEY("threads")) {
        plugin.config.threads = (uint32_t)number("threads", value, NULL);
    } else if (KEY("clusters")) {
        plugin.config.clusters = (uint32_t)number("clusters", value, NULL);
    } else if (KEY("slices")) {
        plugin.config.slices = (uint32_t)number("slices", value, NULL);
    } else if (KEY("seed")) {
        plugin.config.seed = number("seed", value, NULL);
    } else if (KEY("tsc_hz")) {
        plugin.config.tsc_hz = number("tsc_hz", value, NULL);
    } else if (KEY("fault")) {
        add_fault(value);
    } else if (KEY("realism")) {
        plugin.config.realism = value;
    } else if (KEY("mem")) {
        add_range(value);
    } else if (KEY("summary")) {
        plugin.summary_path = value;
    } else if (KEY("trace")) {
        plugin.trace = fopen(value, "w");
        if (!plugin.trace)
            plugin_die("trace=%s: %s", value, strerror(errno));
    } else if (KEY("address") && (!strcmp(value, "virtual") || !strcmp(value, "physical"))) {
        plugin.physical_wanted = !strcmp(value, "physical");
    } else if (KEY("flush") && (!strcmp(value, "touched") || !strcmp(value, "named"))) {
        plugin.flush_named = !strcmp(value, "named");
    } else if (KEY("prefetch") && (!strcmp(value, "off") || !strcmp(value, "on"))) {
        plugin.config.prefetch = !strcmp(value, "on");
    } else if (KEY("clock") && (!strcmp(value, "model") || !strcmp(value, "host"))) {
        plugin.own_time = !strcmp(value, "model");
    } else if (KEY("probe") && (!strcmp(value, "off") || !strcmp(value, "on"))) {
        plugin.probe_wanted = !strcmp(value, "on");
    } else if (KEY("feed") && (!strcmp(value, "always") || !strcmp(value, "shim") || !strcmp(value, "probe"))) {
        plugin.feed_always = !strcmp(value, "always");
        plugin.feed_by_probe = !strcmp(value, "probe");
    } else {
        plugin_die("argument %s is unknown", arg);
    }
#undef KEY
}

void start_number(uint32_t n_qemu)
{
    uint32_t cores = plugin.grid_cores, threads = plugin.grid_threads, n = model_cpus(plugin.model);
    uint32_t thread_bits = cores ? bits_for(threads - 1) : 0, core_bits = cores ? bits_for(cores - 1) : 0;

    if (n > CHANNEL_SLOTS || (!cores && n != n_qemu))
        plugin_die("QEMU has %u processors, the model %u", n_qemu, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = model_apic_id(plugin.model, i), at = i;

        if (cores)
            at = ((id >> (thread_bits + core_bits)) * cores + (id >> thread_bits & low_bits(core_bits))) * threads +
                 (id & low_bits(thread_bits));
        if (at >= n_qemu || at >= CHANNEL_SLOTS)
            plugin_die("QEMU has %u processors at most, the model %u", n_qemu, n);
        else
            plugin.number[at] = (uint8_t)i;
    }
}

void start_read(int argc, char **argv)
{
    const char *page = NULL;

    if (argc > MAX_ARGUMENTS)
        plugin_die("more than %d arguments", MAX_ARGUMENTS);
    for (int i = 0; i < argc; i++) {
        arguments[i] = strdup(argv[i]);
        if (arguments[i])
            take_argument(arguments[i], &page);
        else
            plugin_die("no memory");
    }
    if (!page || plugin.n_ranges == 0)
        plugin_die("page= and at least one mem= must be given");
    if (plugin.config.tsc_hz == 0 && !plugin.own_time)
        plugin.config.tsc_hz = measure_tsc_hz();
    map_page(page);
    join_ranges();
}
