/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/parts.h: the parts of a machine that findings name. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diagnosis/cause.h"

struct machine;

#define PARTS_LISTED 32u
#define PART_NAME    48u

struct parts {
    uint32_t n;
    bool more;          /* than are listed */
    uint32_t n_domains; /* of struct symptoms */
    struct part {
        struct place place;
        char what[PART_NAME]; /* "cpu", "package 0 iMC"                   */
        uint32_t number;      /* UINT32_MAX: it has none ("package 0 UBox") */
    } list[PARTS_LISTED];
};

/* Adds what the place has of this kind: a box, or else a package, an L3 domain or a processor; a processor; an RMID.
 * Nothing where it has none. */
void parts_add(struct parts *p, const struct place *place, enum part_kind kind);
/* Each processor's package in its place. */
void parts_to_packages(struct parts *p, const struct machine *m);
/* "cpu 0, 4 to 7", "package 0 iMC 1, 3"; processors that are all of a package are that package. "" where there are none, or
 * all of the machine's packages or L3 domains are among them. m may be NULL. */
void parts_text(const struct parts *p, const struct machine *m, char *out, size_t size);
