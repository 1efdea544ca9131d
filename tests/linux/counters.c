/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/linux/counters.c: every counter of every box that the kernel's uncore driver has. Runs in the guest, as a program.
 *
 *   counters BOX EVENT[+EVENT...] [BOX EVENT...]... -- COMMAND...
 *
 * On each box uncore_BOX and uncore_BOX_N, and on each processor that its cpumask names, opens one group of events: each
 * EVENT, in the terms of the box's format ("event=0x4,umask=0x3"), as often as the driver takes it, which is once a
 * counter that can count it; event 0xff, which stands for a counter of its own (fixed or free-running), once. Enables
 * all groups, runs the command, disables them in the same order, and prints a line a box and event:
 *
 *   box BOX uncore_BOX_N cpu C event EVENT ns LOW HIGH counters K values V1 ... VK
 *
 * or "refused BOX uncore_BOX_N ..." where the driver took none. LOW and HIGH: how long the group ran, which began and
 * ended within one system call each. The driver freezes a box while it sets or stops a group, and reads the counters one
 * after the other, so all K are equal exactly where the freeze holds. Exits 1 if a BOX is not there.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEVICES      "/sys/bus/event_source/devices"
#define MOST_EVENTS  12u   /* of a box                                                   */
#define MOST_SLOTS   16u   /* counters of a box that count the same                      */
#define MOST_GROUPS  512u  /* boxes, times processors that speak for a package           */
#define MOST_CONFIGS 3u    /* config, config1, config2                                   */
#define OWN_COUNTER  0xFFu /* the event that stands for a fixed or free-running counter */

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "counters: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* The first line of a file of a box; "" where there is none. */
static void read_line(const char *box, const char *name, char *line, size_t size)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, DEVICES "/%s/%s", box, name);
    line[0] = 0;
    file = fopen(path, "r");
    if (!file)
        return;
    if (!fgets(line, (int)size, file))
        line[0] = 0;
    fclose(file);
    line[strcspn(line, "\n")] = 0;
}

/* --- an event in the box's own format -------------------------------------------------------------------------------- */

/* Puts the value into the bits that a format says: "config:0-7,21", low bits first. */
static void put(const char *format, uint64_t value, uint64_t configs[MOST_CONFIGS])
{
    char text[128], *at, *part, *rest = NULL;
    unsigned which = 0;

    snprintf(text, sizeof text, "%s", format);
    at = strchr(text, ':');
    if (!at || strncmp(text, "config", 6) != 0)
        die(format);
    *at++ = 0;
    if (text[6])
        which = (unsigned)strtoul(text + 6, NULL, 10);
    if (which >= MOST_CONFIGS)
        die(format);
    for (part = strtok_r(at, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        unsigned first = (unsigned)strtoul(part, &part, 10), last = first;

        if (*part == '-')
            last = (unsigned)strtoul(part + 1, NULL, 10);
        for (unsigned bit = first; bit <= last && bit < 64; bit++, value >>= 1)
            configs[which] |= (value & 1) << bit;
    }
    errno = ERANGE;
    if (value)
        die(format);
}

static void parse(const char *box, const char *event, uint64_t configs[MOST_CONFIGS])
{
    char text[128], name[160], format[128], *term, *rest = NULL, *value;

    memset(configs, 0, MOST_CONFIGS * sizeof *configs);
    snprintf(text, sizeof text, "%s", event);
    for (term = strtok_r(text, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        errno = EINVAL;
        value = strchr(term, '=');
        if (!value)
            die(event);
        *value++ = 0;
        snprintf(name, sizeof name, "format/%s", term);
        read_line(box, name, format, sizeof format);
        errno = ENOENT;
        if (!format[0])
            die(name);
        put(format, strtoull(value, NULL, 0), configs);
    }
}

/* --- groups ------------------------------------------------------------------------------------------------------------ */

struct wanted { /* of the command line */
    const char *box;
    char *event[MOST_EVENTS];
    unsigned n_events;
};
struct group {
    const struct wanted *wanted;
    const char *box;
    int cpu, leader;
    unsigned n[MOST_EVENTS];    /* counters that took each event                                 */
    int64_t began[2], ended[2]; /* ns: before and after the system call that did it              */
};
static struct group groups[MOST_GROUPS];
static unsigned n_groups;

static int open_event(uint32_t type, const uint64_t configs[MOST_CONFIGS], int cpu, int leader)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = type,
        .config = configs[0],
        .config1 = configs[1],
        .config2 = configs[2],
        .disabled = leader < 0,
        .read_format = PERF_FORMAT_GROUP,
    };

    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static void open_group(const struct wanted *w, const char *box, uint32_t type, int cpu)
{
    struct group *g = &groups[n_groups];
    uint64_t configs[MOST_CONFIGS];
    int fd;

    errno = ENOSPC;
    if (n_groups == MOST_GROUPS)
        die(box);
    *g = (struct group){ .wanted = w, .box = box, .cpu = cpu, .leader = -1 };
    for (unsigned e = 0; e < w->n_events; e++) {
        unsigned most;

        parse(box, w->event[e], configs);
        most = (configs[0] & 0xFF) == OWN_COUNTER ? 1 : MOST_SLOTS;
        while (g->n[e] < most && (fd = open_event(type, configs, cpu, g->leader)) >= 0) {
            if (g->leader < 0)
                g->leader = fd;
            g->n[e]++;
        }
        if (g->n[e] == 0)
            printf("refused %s %s cpu %d event %s: %s\n", w->box, box, cpu, w->event[e], strerror(errno));
    }
    if (g->leader >= 0)
        n_groups++;
}

static void open_box(const struct wanted *w, const char *box)
{
    char type[32], cpus[256], *cpu, *rest = NULL;

    read_line(box, "type", type, sizeof type);
    read_line(box, "cpumask", cpus, sizeof cpus);
    errno = ENOENT;
    if (!type[0] || !cpus[0])
        die(box);
    for (cpu = strtok_r(cpus, ",", &rest); cpu; cpu = strtok_r(NULL, ",", &rest)) {
        int first = (int)strtol(cpu, &cpu, 10), last = *cpu == '-' ? (int)strtol(cpu + 1, NULL, 10) : first;

        for (int c = first; c <= last; c++)
            open_group(w, box, (uint32_t)strtoul(type, NULL, 10), c);
    }
}

/* Is it uncore_BOX or uncore_BOX_N? */
static bool is_box(const char *device, const char *box)
{
    size_t n = strlen(box);

    if (strncmp(device, "uncore_", 7) != 0 || strncmp(device + 7, box, n) != 0)
        return false;
    device += 7 + n;
    return !*device || (*device == '_' && device[1] && strspn(device + 1, "0123456789") == strlen(device + 1));
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void gate(const struct group *g, unsigned long request, int64_t when[2])
{
    when[0] = now_ns();
    if (ioctl(g->leader, request, 0))
        die(g->box);
    when[1] = now_ns();
}

static void print_group(const struct group *g)
{
    struct {
        uint64_t n, value[MOST_EVENTS * MOST_SLOTS];
    } r;
    unsigned at = 0;

    if (read(g->leader, &r, sizeof r) < (ssize_t)(2 * sizeof(uint64_t)))
        die(g->box);
    for (unsigned e = 0; e < g->wanted->n_events; e++) {
        if (g->n[e] == 0)
            continue;
        printf("box %s %s cpu %d event %s ns %lld %lld counters %u values", g->wanted->box, g->box, g->cpu,
               g->wanted->event[e], (long long)(g->ended[0] - g->began[1]), (long long)(g->ended[1] - g->began[0]),
               g->n[e]);
        for (unsigned i = 0; i < g->n[e]; i++)
            printf(" %llu", (unsigned long long)r.value[at++]);
        printf("\n");
    }
}

static void run(char **command)
{
    pid_t child = fork();
    int status = 0;

    if (child < 0)
        die("fork");
    if (child == 0) {
        execvp(command[0], command);
        die(command[0]);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
        die("the command");
}

static void find_boxes(const struct wanted *w)
{
    static struct dirent **devices;
    static int n;
    bool found = false;

    if (!devices)
        n = scandir(DEVICES, &devices, NULL, versionsort);
    if (n < 0)
        die(DEVICES);
    for (int i = 0; i < n; i++) {
        if (is_box(devices[i]->d_name, w->box)) {
            open_box(w, devices[i]->d_name);
            found = true;
        }
    }
    errno = ENODEV;
    if (!found)
        die(w->box);
}

int main(int argc, char **argv)
{
    static struct wanted wanted[MOST_GROUPS];
    int at = 1;

    for (unsigned n = 0; at + 1 < argc && strcmp(argv[at], "--") != 0 && n < MOST_GROUPS; at += 2, n++) {
        char *rest = NULL;

        wanted[n].box = argv[at];
        for (char *e = strtok_r(argv[at + 1], "+", &rest); e && wanted[n].n_events < MOST_EVENTS;
             e = strtok_r(NULL, "+", &rest))
            wanted[n].event[wanted[n].n_events++] = e;
        find_boxes(&wanted[n]);
    }
    if (at + 1 >= argc || at == 1) {
        fprintf(stderr, "counters: see the top of tests/linux/counters.c\n");
        return 2;
    }
    for (unsigned i = 0; i < n_groups; i++)
        gate(&groups[i], PERF_EVENT_IOC_ENABLE, groups[i].began);
    run(argv + at + 1);
    for (unsigned i = 0; i < n_groups; i++)
        gate(&groups[i], PERF_EVENT_IOC_DISABLE, groups[i].ended);
    for (unsigned i = 0; i < n_groups; i++)
        print_group(&groups[i]);
    return 0;
}
