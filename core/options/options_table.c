/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options_table.c: every option, a row each, in the order of -h, of the sample file and of the stream's
 * parameters. */
#include "core/options/options_internal.h"
#include "core/base/text.h"

#define FIELD(member) .field = offsetof(struct options, member)
#define WORDS(...)                                                                                                     \
    .words = (const struct option_word[])                                                                              \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            NULL, NULL                                                                                                 \
        }                                                                                                              \
    }

#define KiB (UINT64_C(1) << 10)
#define MiB (UINT64_C(1) << 20)
#define GiB (UINT64_C(1) << 30)
#define TiB (UINT64_C(1) << 40)

const struct option option_table[] = {
    { .names = { "t" },
      .kind = KIND_PATTERNS,
      FIELD(tests),
      .count = offsetof(struct options, n_tests),
      .argument = "PATTERN",
      .help = "run only checks whose id matches, as the shell matches: cmt.*, qm.error-bit, *.wrap",
      .unset = "all",
      .example = "cmt.*",
      .parameter = "t" },
    { .names = { "skip" },
      .kind = KIND_PATTERNS,
      FIELD(skips),
      .count = offsetof(struct options, n_skips),
      .argument = "PATTERN",
      .help = "do not run checks whose id matches",
      .unset = "none",
      .example = "mbm.*",
      .parameter = "skip" },
    { .names = { "o" },
      .kind = KIND_PATH,
      FIELD(folder),
      .argument = "FOLDER",
      .help = "folder of the reports; each run makes a subfolder named by serial number and time",
      .preset = "\\assay\\reports",
      .parameter = "o" },
    { .names = { "out" },
      .kind = KIND_TARGET,
      FIELD(out),
      .argument = "URL",
      .help = "also upload the report to this folder of a server (http, https: during the run; tftp: at its end); "
              "there alone if no medium can be written to",
      .unset = "none",
      .example = "http://192.0.2.10/inbox/" },
    { .names = { "token" },
      .kind = KIND_TEXT,
      FIELD(token),
      .argument = "WORD",
      .help = "word that the server of out takes (Authorization: Bearer); it is in no report",
      .unset = "none",
      .example = "word",
      .file_only = true },
    { .names = { "cpus" },
      .kind = KIND_CPUS,
      FIELD(cpus),
      .hi = 4095,
      .argument = "LIST",
      .help = "processors to use, by index; the boot processor is always used",
      .unset = "all",
      .example = "0-3,8",
      .parameter = "cpus" },
    { .names = { "mem" },
      .kind = KIND_SIZE,
      FIELD(mem_bytes),
      .lo = 16 * MiB,
      .hi = 64 * TiB,
      .argument = "SIZE",
      .help = "maximum working memory per NUMA node; suffixes K M G T",
      .unset = "by the size of the L3",
      .example = "512M",
      .parameter = "memBytes" },
    { .names = { "load-limit" },
      .kind = KIND_SIZE,
      FIELD(load_limit),
      .lo = 1 * MiB,
      .hi = 64 * TiB,
      .argument = "SIZE",
      .help = "for emulators, which are slow: fills of SIZE at most, streams as short as they may be, nothing repeated "
              "for a "
              "time",
      .unset = "none",
      .example = "12M",
      .parameter = "loadLimit" },
    { .names = { "quick" },
      .kind = KIND_FLAG,
      FIELD(quick),
      .help = "without -t: leave out long checks, which -list marks",
      .parameter = "quick" },
    { .names = { "pmi" },
      .kind = KIND_FLAG,
      FIELD(pmi),
      .help = "take interrupts by a handler of Assay's own, and send some: pmon.pmi, ubox.messages",
      .parameter = "pmi" },
    { .names = { "repeat" },
      .kind = KIND_NUMBER,
      FIELD(repeat),
      .lo = 1,
      .hi = 1000000,
      .argument = "N",
      .help = "run the selection N times",
      .preset = "1",
      .parameter = "repeat" },
    { .names = { "soak" },
      .kind = KIND_NUMBER,
      FIELD(soak_minutes),
      .hi = 43200, /* 30 days */
      .argument = "MINUTES",
      .help = "repeat the selection for MINUTES, and complete the last round; the report has the spread of each "
              "figure",
      .example = "60" },
    { .names = { "v" },
      .kind = KIND_NUMBER,
      FIELD(verbose),
      .hi = 3,
      .argument = "N",
      .help = "verbosity: 0 findings only, 1 every check, 2 its measurements too, 3 its cost too",
      .preset = "1",
      .parameter = "v" },
    { .names = { "q" }, .kind = KIND_FLAG, FIELD(quiet), .help = "show the verdict only", .parameter = "q" },
    { .names = { "ui" },
      .kind = KIND_CHOICE,
      FIELD(ui),
      WORDS({ "auto", "screen where firmware has graphics, else lines" }, { "screen", NULL },
            { "lines", "a scrolling log" }, { "jsonl", "report.jsonl itself, for a serial capture" },
            { "jsonl.gz", "the same packed: seconds instead of minutes at 115200 baud" }),
      .argument = "KIND",
      .help = "what the console shows" },
    { .names = { "b" },
      .kind = KIND_FLAG,
      FIELD(page_breaks),
      .help = "stop after each page of lines until a key is pressed" },
    { .names = { "baseline" },
      .kind = KIND_SOURCE,
      FIELD(baseline),
      .argument = "FILE",
      .help = "at the end, compare with this earlier report.jsonl",
      .example = "\\assay\\baseline.jsonl" },
    { .names = { "bands" },
      .kind = KIND_SOURCE,
      FIELD(bands),
      .argument = "FILE",
      .help =
          "bands of good machines like this one, made by assay-report calibrate; \"auto\": the file of \\assay\\bands "
          "that is for this machine; \"none\" reads none",
      .preset = "auto",
      .parameter = "bands" },
    { .names = { "mp" },
      .kind = KIND_CHOICE,
      FIELD(mp),
      WORDS({ "auto", NULL }, { "blocking", "blocking StartupAllAPs" }, { "sipi", "INIT-SIPI of Assay's own" },
            { "bsp", "the boot processor alone" }),
      .argument = "METHOD",
      .help = "how application processors are started",
      .parameter = "mp" },
    { .names = { "exit" },
      .kind = KIND_CHOICE,
      FIELD(exit),
      WORDS({ "return", NULL }, { "menu", NULL }, { "shutdown", NULL }, { "reboot", NULL },
            { "qemu", "the debug port 0xF4" }),
      .argument = "HOW",
      .help = "what follows the run",
      .parameter = "exit" },
    { .names = { "record" },
      .kind = KIND_CHOICE,
      FIELD(record),
      WORDS({ "auto", "where the run ends with FAIL, WARN or ERROR" }, { "no", NULL }, { "yes", NULL },
            { "full", "with serial numbers, UUID and PPIN as they are, not as digests" }),
      .alone = true,
      .argument = "WHEN",
      .help = "report.machine: a recording of this machine's CPUID, tables, PCI functions and registers",
      .parameter = "record" },
    { .names = { "fail-on" },
      .kind = KIND_CHOICE,
      FIELD(fail_on),
      WORDS({ "own", "5" }, { "warn", "1, as a FAIL" }, { "fail", "0, as a PASS" }),
      .argument = "WHAT",
      .help = "exit status of a run without a FAIL and with a WARN" },
    { .names = { "resume" },
      .kind = KIND_CHOICE,
      FIELD(resume),
      WORDS({ "auto", "resume after the interrupted check" }, { "ask", "ask for 30 s, then resume" },
            { "never", "a new run" }),
      .argument = "WHEN",
      .help = "after a hang, a reset or a power cut that interrupted a run of this machine" },
    { .names = { "watchdog" },
      .kind = KIND_NUMBER,
      FIELD(watchdog_seconds),
      .hi = 65535,
      .argument = "SECONDS",
      .help = "reset the machine where a check, or what comes before and after the checks, takes longer; 0: never",
      .preset = "1800" },
    { .names = { "pcr" },
      .kind = KIND_NUMBER,
      FIELD(pcr),
      .lo = 8, /* below are firmware's; 16 and 23 can be reset by software */
      .hi = 15,
      .argument = "INDEX",
      .help = "extend the report's SHA-256 into this PCR of the TPM, so that a quote attests it",
      .unset = "none",
      .example = "12",
      .parameter = "pcr" },
    { .names = { "config" },
      .kind = KIND_SOURCE,
      FIELD(config),
      .argument = "FILE",
      .help = "read FILE instead of \\assay\\assay.cfg; \"none\" reads none",
      .line_only = true },
    { .names = { "list" },
      .kind = KIND_CHOICE,
      FIELD(list),
      WORDS({ "no", NULL }, { "yes", "every check, its rule and its needs" },
            { "boxes", "every uncore box of this machine and its location" },
            { "json", "every check as JSON, as assay-report list has it" }),
      .help = "list instead of checking",
      .answers = { "yes", "json" },
      .alone = true },
    { .names = { "count" },
      .kind = KIND_PATTERNS,
      FIELD(counts),
      .count = offsetof(struct options, n_counts),
      .argument = "EVENTS",
      .help = "count uncore events instead of checking, separated by commas: unit/event, Intel's name of an event in a "
              "file of \\assay\\events, unit/code:umask[:extension][:field[=value]], or a metric (\"metrics\": all)",
      .unset = "none",
      .example = "imc/cas_rd,cha/0x37:0x0f,mem-read",
      .parameter = "count" },
    { .names = { "top" },
      .kind = KIND_NUMBER,
      FIELD(top_seconds),
      .hi = 3600,
      .argument = "SECONDS",
      .help = "show rates of -count, or all metrics, in a table that is renewed each second, until q is pressed or "
              "SECONDS have passed",
      .example = "60" },
    { .names = { "load" },
      .kind = KIND_CHOICE,
      FIELD(load),
      WORDS({ "read", NULL }, { "write", NULL }, { "nt-write", NULL }, { "none", NULL }, { "read-remote", NULL }),
      .argument = "KIND",
      .help = "load during -count and -top, on one processor of each package" },
    { .names = { "size" },
      .kind = KIND_SIZE,
      FIELD(size_bytes),
      .lo = 64 * KiB,
      .hi = 1 * GiB,
      .argument = "SIZE",
      .help = "memory per package that the load accesses",
      .preset = "64M" },
    { .names = { "version" },
      .kind = KIND_FLAG,
      FIELD(version),
      .help = "show version, commit and build id",
      .answers = { "yes" } },
    { .names = { "h", "?", "-help" },
      .kind = KIND_FLAG,
      FIELD(help),
      .help = "show the options",
      .answers = { "yes" } },
};
const uint32_t n_options = sizeof option_table / sizeof *option_table;
_Static_assert(sizeof option_table / sizeof *option_table <= OPTIONS_ROWS, "options.given has a place for each");

#define NAMES (sizeof option_table->names / sizeof *option_table->names)

const struct option *option_find(const char *name)
{
    for (uint32_t i = 0; i < n_options; i++)
        for (size_t n = 0; n < NAMES && option_table[i].names[n]; n++)
            if (text_equal(option_table[i].names[n], name))
                return &option_table[i];
    return NULL;
}

const char *option_nearest(const char *name)
{
    const char *nearest = option_table[0].names[0];
    size_t best = SIZE_MAX;

    for (uint32_t i = 0; i < n_options; i++)
        for (size_t n = 0; n < NAMES && option_table[i].names[n]; n++) {
            size_t distance = text_distance(name, option_table[i].names[n]);

            if (distance < best) {
                best = distance;
                nearest = option_table[i].names[n];
            }
        }
    return nearest;
}

uint32_t option_index(const struct option *option)
{
    return (uint32_t)(option - option_table);
}

enum option_source option_source(const struct options *o, const struct option *option)
{
    return (enum option_source)o->given[option_index(option)];
}

bool options_given(const struct options *o, const char *name)
{
    const struct option *option = option_find(name);

    return option && option_source(o, option) != SOURCE_NONE;
}

const char *option_default(const struct option *option)
{
    if (option->preset)
        return option->preset;
    return option->kind == KIND_FLAG ? "no" : option->kind == KIND_CHOICE ? option->words[0].word : "";
}
