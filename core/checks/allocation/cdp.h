/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/cdp.h: enabling and disabling code and data prioritization (CDP). */
#pragma once
#include "core/domain/alloc.h"
#include "core/experiment/cat_context.h"

/* Sets CDP_Enable on every L3 domain as SDM vol. 3B 17.17.4 asks: first every mask full and every processor in class
 * 0. On AMD through every processor of a domain (APM vol. 2 19.4.2), else through one. Then data of class n is held
 * to mask 2n, code to mask 2n + 1. cdp_put_back() must follow, whatever the outcome of it. Errors: a write was refused,
 * and alloc_refused() reported it; or check_unmeasured() has said why. */
MUST_CHECK enum status cdp_enable(struct check *c, bool on);
/* ST_ABSENT where so many CLOS are fewer than two while CDP is enabled, which takes two masks for each. */
MUST_CHECK enum status cdp_leaves_two(struct check *c, uint32_t classes);
/* CDP_Enable, the processors' classes and the masks as the ledger found them. Errors: those of alloc_put_back(). */
MUST_CHECK enum status cdp_put_back(struct check *c);

/* What processors hold of a fill by a mask of one way: the least, and the most with its processor and class. Zero it
 * first. */
struct cdp_held {
    double least, most;
    uint32_t cpu, class;
};

struct cdp_classes {
    struct check *check;
    const struct cat_context *cat;
    uint32_t domain;
    uint32_t restricted; /* 0: the data mask, 1: the code mask of the class has one way; all others are full */
    enum status (*measure)(const struct cdp_classes *each, uint32_t cpu, uint32_t class);
    enum status (*fill)(const struct cdp_classes *each, uint32_t cpu, uint32_t class, double *bytes); /* not judged */
    void *context;
};
/* While CDP is enabled: class after class, each on the next processor of the L3, until each class and each processor had
 * its turn. After the first finding, the class whose mask acts instead is named, or that CDP does not act on the
 * processor. Errors: those of measure() and alloc_write(); or check_unmeasured() has said why. */
MUST_CHECK enum status cdp_every_class(const struct cdp_classes *each);

/* Whether a count of AMD says more than a way and a half: then a second one decides. */
bool cdp_held_again(const struct cdp_classes *each, double bytes);
/* bytes: the less of both. */
void cdp_held_keep(struct cdp_held *h, uint32_t cpu, uint32_t class, double bytes);
/* AMD's count is an estimate with a tolerance of more than a way (APM vol. 2 19.3.2), so processors and classes are
 * compared with each other: a finding about one that holds half a way more than another. */
void cdp_held_judge(const struct cdp_classes *each, const struct cdp_held *h);
