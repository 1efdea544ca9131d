/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/faults/fault.c: the catalogue of defects. See fault.h.
 *
 * rows: rows of docs/conformance.tsv, those of RDT first. Where a fault has a parameter, its default and meaning stand in `parameter`.
 */
#include "tests/silicon/faults/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL UINT64_MAX
/* Groups of profiles, for the rows: parts that have ... */
#define EVERY    "bdx,bdx-gp,bdx-80,nhm,snbep,hsx,skx,icx,spr,gnr,zen3,zen5,client"
#define INTEL    "bdx,bdx-gp,bdx-80,nhm,snbep,hsx,skx,icx,spr,gnr,client"
#define CMT      "bdx,bdx-gp,bdx-80,hsx,skx,icx,spr,gnr,zen3,zen5" /* RMIDs and occupancy                           */
#define RDT      "bdx,bdx-gp,bdx-80,skx,icx,spr,gnr,zen3,zen5"     /* bandwidth and classes of service as well      */
#define CMTI     "bdx,bdx-gp,bdx-80,hsx,skx,icx,spr,gnr" /* occupancy, of Intel                                */
#define RDTI     "bdx,bdx-gp,bdx-80,skx,icx,spr,gnr"     /* the same of Intel                                  */
#define MBM      RDT
#define WRAP     RDTI                                      /* counters that start near their roll-over           */
#define ODD      "bdx-80,hsx,skx,icx,spr,gnr"              /* RMIDs that do not fill their field                 */
#define INCL     "bdx,bdx-gp,bdx-80,hsx"                   /* occupancy of an L3 that holds what its cores hold  */
#define CDP      "bdx,bdx-gp,bdx-80,skx,spr,gnr,zen3,zen5" /* code and data prioritization                       */
#define MBA      "skx,icx,spr,gnr"                         /* throttles                                          */
#define MBA2     "icx,spr,gnr"                             /* MSRs C84H and CA0H                                 */
#define CLUSTERS "icx,spr"                                 /* RMIDs that are divided over clusters */
#define AMD      "zen3,zen5"
#define ERDT     "gnr"
#define ANY      "bdx,bdx-gp,snbep" /* the U-box                                          */

struct extra {
    const char *parameter; /* NULL: none */
    uint64_t value;
};

/* Columns of faults/: enumerator, name, what it stands for, profiles that have what it breaks, rows of the conformance
 * list (docs/conformance.tsv) that must catch it, whether only a real #GP shows it, meaning of its parameter (NULL: none), default. */
#define FAULT(id, name_, stands_for_, profiles_, rows_, gp, parameter_, value_)                                        \
    [id] = { .name = name_, .stands_for = stands_for_, .profiles = profiles_, .rows = rows_, .needs_gp = gp },
static const struct model_fault faults[FAULTS] = {
#include "tests/silicon/faults/all.h"
};
#undef FAULT

#define FAULT(id, name_, stands_for_, profiles_, rows_, gp, parameter_, value_)                                        \
    [id] = { .parameter = parameter_, .value = value_ },
static const struct extra extras[FAULTS] = {
#include "tests/silicon/faults/all.h"
};
#undef FAULT

const struct model_fault *model_faults(uint32_t *n)
{
    *n = FAULTS;
    return faults;
}

uint32_t model_fault_clusters(const struct model_fault *fault)
{
    return strncmp(fault->name, "cluster-", strlen("cluster-")) ? 1 : 2;
}

/* Between packages: one alone has nothing to show. */
static const enum fault_id between_packages[] = {
    FAULT_CDP_LEFT_BY_FIRMWARE,
    FAULT_CPUID_PACKAGE,
    FAULT_CPUID_SCALE_PACKAGE,
    FAULT_ERDT_DOMAIN_TWICE,
    FAULT_HOME_REMOTE_SWAPPED,
    FAULT_HOME_SWAPPED,
    FAULT_MASK_BROADCAST,
    FAULT_MBA_CFG_LEFT_BY_FIRMWARE,
    FAULT_MBA_LEFT_BY_FIRMWARE,
    FAULT_MBM_LOCAL_COUNTS_REMOTE,
    FAULT_MBM_SWAPPED,
    FAULT_MICROCODE_DIFFERS,
    FAULT_NODE_ID_SAME,
    FAULT_OCC_GLOBAL,
    FAULT_PRIORITY_LEFT,
    FAULT_QM_SHARED_BY_PACKAGES,
    FAULT_QPI_DIRECTIONS_SWAPPED,
    FAULT_RMID_SHARING_LEFT,
    FAULT_SRAT_PROCESSOR,
    FAULT_SRAT_SWAPPED,
    FAULT_STLB_LEFT,
    FAULT_TOR_HOME_IGNORED,
    FAULT_UBOX_SHARED,
    FAULT_WBINVD_SPREADS,
};

uint32_t model_fault_packages(const struct model_fault *fault)
{
    for (size_t i = 0; i < sizeof between_packages / sizeof between_packages[0]; i++)
        if (fault == &faults[between_packages[i]])
            return 2;
    return 1;
}

/* Is word one of the comma-separated words of list? */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *p = list; (p = strstr(p, word)) != NULL; p += length)
        if ((p == list || p[-1] == ',') && (p[length] == '\0' || p[length] == ','))
            return true;
    return false;
}

static bool refuse(char *error, size_t size, const char *text, const char *why)
{
    size_t used;

    if (!error || size == 0)
        return false;
    snprintf(error, size, "fault %s: %s; there are:", text, why);
    for (uint32_t i = 0; i < FAULTS; i++) {
        used = strlen(error);
        snprintf(error + used, size - used, " %s", faults[i].name);
    }
    return false;
}

bool fault_parse(struct fault_set *set, const char *profile, const char *text, char *error, size_t error_size)
{
    size_t length = strcspn(text, ":");
    uint32_t id = 0;

    while (id < FAULTS && (strlen(faults[id].name) != length || memcmp(faults[id].name, text, length) != 0))
        id++;
    if (id == FAULTS)
        return refuse(error, error_size, text, "no such name");
    if (!list_has(faults[id].profiles, profile))
        return refuse(error, error_size, text, "this profile has not got what it breaks");
    set->value[id] = extras[id].value;
    if (text[length] == ':') {
        char *end;

        if (!extras[id].parameter)
            return refuse(error, error_size, text, "takes no value");
        errno = 0;
        set->value[id] = strtoull(text + length + 1, &end, 0);
        if (end == text + length + 1 || *end || errno)
            return refuse(error, error_size, text, "the value is no number");
    }
    set->on[id] = true;
    return true;
}
