/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/model_run.h: chosen checks on a machine of the silicon model, one of whose registers may answer
 * otherwise than it should. Two cores of one thread in each package.
 *
 * The short way is one expect(): it makes the machine, runs the check and holds its verdict and its first finding
 * against what is expected. For more, model_run_new(), changes to the machine or the interposer, model_run_check().
 */
#pragma once
#include "core/machine/machine.h"
#include "tests/support/machine/interposer.h"
#include "tests/support/run/whole_run.h"

struct model_run {
    struct model_platform *mp;
    struct machine *machine;
    struct whole_run *run;
    struct interposer interposer; /* installed, without a defect */
    char *stream;                 /* of model_run_check()        */
};

/* tests: pattern of the checks to be run. What the machine does not say: one package, two cores of one thread, seed 5.
 * node_bytes: memory of each node; 0: 1 GiB. */
struct model_run *model_run_on(struct model_config config, const char *tests, uint64_t node_bytes);
struct model_run *model_run_new(const char *profile, uint32_t packages, const char *tests);
/* Runs them; the result of the check of that id. */
const struct whole_result *model_run_check(struct model_run *r, const char *id);
/* Of a check that ran already. */
enum verdict model_run_verdict(const struct model_run *r, const char *id);
/* Whether the stream has these words. */
bool model_run_streams(const struct model_run *r, const char *words);
void model_run_free(struct model_run *r);

/* What one check comes to on a machine, a statement each:
 *     expect(VERDICT_SKIP, "mbm.every-rmid", ON("zen3", .realism = "amd-tracked-rmids=1"), .finding = "no RMID is
 * tracked");
 */
struct expected {
    enum verdict verdict;
    const char *id;
    struct model_config on;
    const char *tests[8]; /* patterns of the checks that run; none: the check alone */
    struct {
        const char *id;
        enum verdict verdict;
    } also[8];                     /* what others of them come to */
    struct register_defect defect; /* {0}: none */
    /* Of the interposer: what data does not say. May be NULL. */
    void (*before)(struct interposer *i, uint32_t cpu, struct step *s);
    void (*after)(struct interposer *i, uint32_t cpu, struct step *s);
    void *context;
    enum status (*pci_read)(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value);
    void (*change)(struct model_run *r); /* what else is other than on the model; NULL: nothing */
    enum status (*mmio_read)(void *machine, uint64_t address, uint32_t width, uint64_t *value);
    bool restored;        /* all registers read as found at the end                        */
    bool none_bad, clean; /* no check is FAIL or ERROR; expect_clean()            */
    bool own_bounds;      /* the check's, not those of reference machines                  */
    bool uncalibrated;    /* without bands of reference machines, not even without figures */
    /* Words of the first finding, of the text report, of the stream, and words that neither report must have; NULL:
     * any. code: of the first finding; FOUND_OTHER: any. */
    const char *finding, *report, *stream, *unsaid, *nor_said;
    enum finding_code code;
    const char *excludes; /* words of what a PASS excludes; NULL: any   */
    uint64_t bytes_below; /* that the run's loads move; 0: any number */
    double seconds_below; /* of the machine's clock; 0: any number      */
    uint64_t node_bytes;  /* memory of each node; 0: 1 GiB              */
};

#define ON(profile_, ...) ((struct model_config){ .profile = profile_, __VA_ARGS__ })
#define expect(verdict_, id_, on_, ...)                                                                                \
    expect_on(&(struct expected){ .verdict = verdict_, .id = id_, .on = on_, __VA_ARGS__ })
/* A test that is one of them, of a suite of criterion.h. */
#define EXPECT_TEST(suite, name, ...)                                                                                  \
    Test(suite, name)                                                                                                  \
    {                                                                                                                  \
        expect(__VA_ARGS__);                                                                                           \
    }                                                                                                                  \
    struct expected
void expect_on(const struct expected *e);
/* Each check of a run is PASS or SKIP with what it has to say, the run is PASS, and registers read as found. name: for messages. */
void expect_clean(const struct whole_run *w, const char *name);
