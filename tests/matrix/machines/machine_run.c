/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/machines/machine_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PROCESSES 64u
#define ANSWER_BYTES  (256u << 10) /* every check with the longest reason */

/* --- in the run's own process */

uint32_t machine_run_lines(const char *text)
{
    uint32_t n = 0;

    for (const char *c = text ? text : ""; *c; c++)
        n += *c == '\n';
    return n;
}

bool machine_run_leave_text(const char *file, const char *text)
{
    const char *end = strstr(file, ".jsonl");
    char path[520];
    FILE *out;

    snprintf(path, sizeof path, "%.*s.txt", (int)(end ? end - file : (ptrdiff_t)strlen(file)), file);
    out = fopen(path, "wb");
    if (out && fputs(text, out) >= 0 && fclose(out) == 0)
        return true;
    perror(path);
    return false;
}

static void answer(const struct machine_run *r, const struct whole_run *w, FILE *out)
{
    uint32_t lines = machine_run_lines(w->brief ? w->brief : w->text);

    for (uint32_t i = 0; i < w->n; i++) {
        const struct whole_result *c = &w->checks[i];

        if (r->every_verdict || (c->verdict != VERDICT_PASS && c->verdict != VERDICT_SKIP))
            fprintf(out, "%s %s %s\n", c->row->id, verdict_text(c->verdict), c->reason);
        if (!r->config.faults[0] && whole_result_unsaid(c))
            fprintf(out, "%s ERROR %s\n", c->row->id, whole_result_unsaid(c));
    }
    if (w->restored != ST_OK && !r->config.faults[0])
        fprintf(out, "restore.registers FAIL a register does not read as it was found\n");
    if (r->most_lines && w->result == RUN_PASS && lines > r->most_lines)
        fprintf(out, "report.txt FAIL of a PASS it has %u lines, and is to have %u at most\n", lines, r->most_lines);
}

static int run_here(const struct machine_run *r, int pipe)
{
    struct whole_run *w = calloc(1, sizeof *w);
    FILE *out = fdopen(pipe, "w");

    if (!w || !out)
        return EXIT_FAILURE;
    if (r->select)
        r->select(r, w);
    if (r->stream[0] && !(w->stream = fopen(r->stream, "wb"))) {
        perror(r->stream);
        return EXIT_FAILURE;
    }
    if (!whole_run(&r->config, w) || (w->stream && fclose(w->stream) != 0))
        return EXIT_FAILURE;
    if (r->stream[0] && w->brief && !machine_run_leave_text(r->stream, w->brief))
        return EXIT_FAILURE;
    (r->put ? r->put : answer)(r, w, out);
    whole_run_free(w);
    free(w);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* By processor time: how long a run takes by the clock on the wall depends on what else the host does. */
static void limit_time(uint32_t seconds)
{
    struct itimerval limit = { .it_value = { .tv_sec = (time_t)seconds } };

    if (setitimer(ITIMER_PROF, &limit, NULL) != 0) {
        perror("setitimer");
        _exit(EXIT_FAILURE);
    }
}

/* --- in the program's */

static struct machine_run *run_at(void *first, uint32_t i, size_t size)
{
    return (struct machine_run *)((char *)first + i * size);
}

static void start(struct machine_run *r, uint32_t seconds)
{
    int ends[2];

    fflush(NULL);
    r->answer = calloc(1, ANSWER_BYTES);
    if (!r->answer || pipe(ends) != 0 || (r->process = fork()) < 0) {
        perror("machine_run");
        exit(EXIT_FAILURE);
    }
    if (r->process == 0) {
        close(ends[0]);
        limit_time(seconds);
        _exit(run_here(r, ends[1]));
    }
    close(ends[1]);
    r->pipe = ends[0];
}

/* True when the run has ended. */
static bool take(struct machine_run *r)
{
    ssize_t n = read(r->pipe, r->answer + r->length, ANSWER_BYTES - 1 - r->length);
    struct rusage used = { 0 };

    if (n > 0) {
        r->length += (size_t)n;
        return false;
    }
    if (n < 0 && errno == EINTR)
        return false;
    close(r->pipe);
    r->pipe = -1;
    wait4(r->process, &r->status, 0, &used);
    r->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return true;
}

/* Wait until one of the first n says something. Returns how many have ended. */
static uint32_t wait_for(void *first, uint32_t n, size_t size, void (*done)(struct machine_run *r))
{
    struct pollfd polled[MAX_PROCESSES];
    struct machine_run *who[MAX_PROCESSES];
    nfds_t busy = 0;
    uint32_t ended = 0;

    for (uint32_t i = 0; i < n && busy < MAX_PROCESSES; i++) {
        struct machine_run *r = run_at(first, i, size);

        if (r->pipe >= 0) {
            who[busy] = r;
            polled[busy++] = (struct pollfd){ .fd = r->pipe, .events = POLLIN };
        }
    }
    if (poll(polled, busy, -1) < 0) {
        if (errno == EINTR)
            return 0;
        perror("machine_run");
        exit(EXIT_FAILURE);
    }
    for (nfds_t i = 0; i < busy; i++)
        if (polled[i].revents && take(who[i])) {
            ended++;
            done(who[i]);
        }
    return ended;
}

void machine_runs(void *first, uint32_t n, size_t size, uint32_t jobs, uint32_t seconds,
                  void (*done)(struct machine_run *r))
{
    uint32_t next = 0, busy = 0;

    if (jobs < 1 || jobs > MAX_PROCESSES)
        jobs = jobs < 1 ? 1 : MAX_PROCESSES;
    for (uint32_t i = 0; i < n; i++)
        run_at(first, i, size)->pipe = -1;
    while (next < n || busy > 0) {
        for (; busy < jobs && next < n; next++)
            if (!run_at(first, next, size)->left_out) {
                start(run_at(first, next, size), seconds);
                busy++;
            }
        if (busy > 0)
            busy -= wait_for(first, next, size, done);
    }
}

void machine_run_keep(struct machine_run *r, const char *folder, const char *name, ...)
{
    char file[256];
    va_list args;

    if (!folder)
        return;
    va_start(args, name);
    vsnprintf(file, sizeof file, name, args);
    va_end(args);
    mkdir(folder, 0777);
    snprintf(r->stream, sizeof r->stream, "%s/%s.jsonl", folder, file);
}

void machine_run_forget(struct machine_run *r)
{
    free(r->answer);
    r->answer = NULL;
}

bool machine_run_ended_well(const struct machine_run *r)
{
    return WIFEXITED(r->status) && WEXITSTATUS(r->status) == EXIT_SUCCESS;
}

const char *machine_run_why(const struct machine_run *r, char *out, size_t size)
{
    if (WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGPROF)
        snprintf(out, size, "did not end in %.0f s of processor time", r->seconds);
    else if (WIFSIGNALED(r->status))
        snprintf(out, size, "was ended by signal %d (%s)", WTERMSIG(r->status), strsignal(WTERMSIG(r->status)));
    else
        snprintf(out, size, "ended with status %d", WEXITSTATUS(r->status));
    return out;
}

const char *machine_run_next(const char *at, struct finding *f)
{
    const char *end = strchr(at, '\n');

    *f = (struct finding){ "", "", "" };
    if (!end || sscanf(at, "%63s %7s%*1[ ]%255[^\n]", f->id, f->verdict, f->reason) < 2)
        return NULL;
    return end + 1;
}
