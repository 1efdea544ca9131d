/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A row a capability: a bit of CPUID, a field of the profile, a box type of the uncore, or a function of the whole
 * profile. */
#include "tests/silicon/profiles/profile_capability.h"

#include <stddef.h>

#include "core/base/bits.h"
#include "core/base/search.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/model_discovery.h"
#include "tests/silicon/uncore_parts/uncore_server.h"

enum { EAX, EBX, ECX, EDX };

#define MASK_REGISTERS 16u /* IA32_L3_MASK_n that the model has */

/* --- of the whole profile */

static bool has_intel(const struct profile *p)
{
    return !p->amd;
}

static uint32_t rmids_of(const struct profile *p)
{
    return profile_cpuid(p, 0xF, 1, EDX) ? profile_cpuid(p, 0xF, 1, ECX) + 1 : 0;
}

static bool has_odd_rmids(const struct profile *p)
{
    uint32_t n = rmids_of(p);

    return (n & (n - 1)) != 0;
}

static bool has_rmid_above(const struct profile *p)
{
    return rmids_of(p) && rmids_of(p) <= low_bits(p->qm_rmid_bits);
}

static bool has_erratum(const struct profile *p)
{
    return mbm_erratum(p, rmids_of(p)).factor != MBM_FACTOR_ONE;
}

static bool has_bits_above(const struct profile *p)
{
    return p->mbm_bits < 62; /* QM_CTR.Data */
}

static bool has_spare_mask(const struct profile *p)
{
    return profile_has(p, CAP_CAT) && profile_cpuid(p, 0x10, 1, EDX) + 1 < MASK_REGISTERS;
}

static bool has_cat_holes(const struct profile *p)
{
    return profile_has(p, CAP_CAT) && (p->amd || (profile_cpuid(p, 0x10, 1, ECX) & BIT(3)));
}

static bool has_throttle(const struct profile *p)
{
    return profile_has(p, CAP_MBA) || profile_has(p, CAP_CEILING);
}

static bool has_snc(const struct profile *p)
{
    return p->rmid_snc_config && p->max_clusters > 1;
}

static bool has_clusters(const struct profile *p)
{
    return !p->amd && p->max_clusters > 1;
}

static bool has_leaf_7_1(const struct profile *p)
{
    return profile_cpuid(p, 7, 0, EAX) >= 1;
}

static bool has_residency(const struct profile *p)
{
    return (p->residency & RESIDENCY_PC6) && (p->residency & RESIDENCY_CC6);
}

static bool has_residency_pc2(const struct profile *p)
{
    return p->residency & RESIDENCY_PC2;
}

static bool has_core_pmu(const struct profile *p)
{
    return !p->amd && (profile_cpuid(p, 0xA, 0, EAX) & 0xFF);
}

static bool has_fixed_units(const struct profile *p)
{
    return profile_has(p, CAP_PMON) && !profile_has(p, CAP_DISCOVERY);
}

static bool has_global_freeze(const struct profile *p)
{
    return p->uncore && p->uncore->global_frz;
}

static bool has_pmi(const struct profile *p)
{
    return p->uncore && p->uncore->pmi_cores;
}

static bool has_counter_enable(const struct profile *p)
{
    for (uint32_t i = 0; p->uncore && i < p->uncore->n_types; i++)
        if (p->uncore->types[i]->counters && p->uncore->types[i]->ctl->en)
            return true;
    return p->uncore && p->uncore->global_enables;
}

static bool has_pmon(const struct profile *p)
{
    for (uint32_t i = 0; p->uncore && !p->amd && i < p->uncore->n_types; i++)
        if (p->uncore->types[i]->counters)
            return true;
    return false;
}

static bool has_spare_channel(const struct profile *p)
{
    uint32_t channels = p->package_channels ? p->package_channels : p->channels ? p->channels : 4;

    for (uint32_t i = 0; p->uncore && i < p->uncore->n_types; i++)
        if (p->uncore->types[i]->unit == UNIT_IMC && p->uncore->types[i]->n_places > channels)
            return true;
    return false;
}

/* --- of one box type */

static bool counts(const struct uncore_box_type *t, uncore_source *source)
{
    return ANY_OF(i, t->n_events, t->events[i].source == source);
}

static bool shows(const struct uncore_box_type *t, enum uncore_reg_kind kind, uncore_source *source)
{
    return ANY_OF(i, t->n_regs, t->regs[i].kind == kind && (!source || t->regs[i].source == source));
}

#define BOX(name, is)                                                                                                  \
    static bool box_##name(const struct uncore_box_type *t)                                                            \
    {                                                                                                                  \
        return is;                                                                                                     \
    }
BOX(ubox, t->unit == UNIT_UBOX && t->counters)
BOX(ubox_invert, t->unit == UNIT_UBOX && t->counters && t->ctl->invert)
BOX(threshold_8, t->counters &&__builtin_popcountll(t->ctl->thresh) >= 8)
BOX(invert, t->counters && t->ctl->invert)
BOX(ctl, t->box_ctl && !t->box_ctl->run)
BOX(frz_en, t->box_ctl && t->box_ctl->frz_en)
BOX(reset, t->counters && t->ctl->rst)
BOX(ov_en, t->counters && t->ctl->ov_en && !t->overflow_always)
BOX(overflow, (shows(t, REG_STATUS, NULL) || shows(t, REG_STATUS_READ, NULL) || shows(t, REG_GLOBAL_CLEAR, NULL)) &&
                  (t->ctl->ov_en || t->overflow_always))
BOX(fixed_overflow, t->fixed_bits && t->ctl->fixed_ov_en && box_overflow(t))
BOX(fixed_freeze, t->fixed_bits && t->box_ctl && t->box_ctl->frz)
BOX(pci, t->access == UNCORE_PCI && t->counters)
BOX(tor_umask, counts(t, source_skx_tor) || counts(t, source_icx_tor))
BOX(tor, box_tor_umask(t) || counts(t, source_e5_tor))
BOX(state_filter, t->unit == UNIT_CBO && (counts(t, source_e5_lookup) || counts(t, source_skx_lookup)))
BOX(tid, t->filter_tid)
BOX(sbo, t->unit == UNIT_SBO)
BOX(bands, counts(t, source_band))
BOX(core_states, counts(t, source_core_states))
BOX(occ_compare, t->counters && t->ctl->occ_invert && t->ctl->occ_edge)
BOX(pseudo_channels, counts(t, source_pseudo))
BOX(qpi, t->unit == UNIT_QPI)
BOX(imc, t->unit == UNIT_IMC || t->unit == UNIT_SOCKET)
BOX(mem_bars, shows(t, REG_VALUE, source_mem_bar))
BOX(imc_mmio, t->unit == UNIT_IMC && t->access == UNCORE_MMIO)
BOX(imc_free, !t->counters && t->access == UNCORE_MMIO && shows(t, REG_FREE, source_clock))
BOX(iio_bandwidth, shows(t, REG_FREE, source_io_in))
BOX(iio_ports, counts(t, source_config))
BOX(imc_free_lines, shows(t, REG_FREE, source_controller) || shows(t, REG_FREE, source_client_lines))
BOX(run_by, t->run_by)
BOX(free_clock, t->counters &&shows(t, REG_FREE, source_clock))
BOX(nhm, t->unit == UNIT_SOCKET)
BOX(discovery, shows(t, REG_VALUE, source_discovery))
BOX(cha_count, shows(t, REG_VALUE, source_cha_count))
BOX(node_id, shows(t, REG_VALUE, source_cpu_node))
BOX(bus_numbers, shows(t, REG_VALUE, source_bus_numbers))
BOX(home_match, counts(t, source_home_match))
BOX(packets, counts(t, source_packets))
BOX(upi_headers, counts(t, source_upi_headers))
BOX(l3_pmc, t->unit == UNIT_L3)
BOX(df, t->unit == UNIT_DF)
BOX(df_both_ways, t->unit == UNIT_DF && counts(t, source_fabric_cas))
BOX(umc, t->unit == UNIT_UMC)

static bool box_cbo(const struct uncore_box_type *t)
{
    return t->unit == UNIT_CBO &&
           (counts(t, source_e5_lookup) || counts(t, source_skx_lookup) || counts(t, source_icx_lookup));
}

static bool box_queues(const struct uncore_box_type *t)
{
    return ANY_OF(i, t->n_events, t->events[i].cycles);
}

static bool box_ubox_ipi(const struct uncore_box_type *t)
{
    return ANY_OF(i, t->n_events, t->events[i].source == source_message && (t->events[i].arg & MESSAGE_IPI));
}

/* Requests for the package's own memory, or for others', alone. */
static bool box_home(const struct uncore_box_type *t)
{
    return ANY_OF(i, t->n_events,
                  (t->events[i].source == source_home || t->events[i].source == source_cha_home) &&
                      (t->events[i].arg & (HOME_LOCAL | HOME_REMOTE)) != (HOME_LOCAL | HOME_REMOTE));
}

static bool box_tor_homes(const struct uncore_box_type *t)
{
    return ANY_OF(i, t->n_events,
                  t->events[i].source == source_skx_tor ||
                      ((t->events[i].source == source_e5_tor || t->events[i].source == source_icx_tor) &&
                       !(t->events[i].arg & TOR_ANY_HOME)));
}

/* Two rows of one event, by different bits of its umask: a control can ask for both. */
static bool box_umask_sums(const struct uncore_box_type *t)
{
    for (uint32_t i = 0; i < t->n_events; i++)
        for (uint32_t k = i + 1; k < t->n_events; k++)
            if (t->events[i].ev_sel == t->events[k].ev_sel && t->events[i].umask && t->events[k].umask &&
                t->events[i].umask != t->events[k].umask)
                return true;
    return false;
}

static bool box_cas_sums(const struct uncore_box_type *t)
{
    for (uint32_t i = 0; i < t->n_events; i++)
        for (uint32_t k = 0; k < t->n_events; k++)
            if (t->events[i].ev_sel == t->events[k].ev_sel && t->events[i].source == source_cas_read &&
                t->events[k].source == source_cas_write)
                return true;
    return counts(t, source_spr_cas);
}

/* --- rows */

struct rule {
    const char *text;
    uint32_t leaf, subleaf, reg, bit;             /* leaf 0: not by CPUID                    */
    size_t field;                                 /* of struct profile, a bool; 0: not by one */
    bool (*box)(const struct uncore_box_type *t); /* true of one box type of the uncore      */
    bool (*profile)(const struct profile *p);
};
#define CPUID(leaf_, subleaf_, reg_, bit_) .leaf = leaf_, .subleaf = subleaf_, .reg = reg_, .bit = bit_
#define FIELD(name)                        .field = offsetof(struct profile, name)

#define CAPABILITY(id, ...) [id] = { __VA_ARGS__ },
static const struct rule rules[CAPABILITIES] = {
#include "tests/silicon/profiles/capability_rows.h"
};

bool profile_has(const struct profile *p, enum capability c)
{
    const struct rule *r = &rules[c];

    if (r->leaf)
        return profile_cpuid(p, r->leaf, r->subleaf, r->reg) & BIT(r->bit);
    if (r->field)
        return *(const bool *)((const char *)p + r->field);
    for (uint32_t i = 0; r->box && p->uncore && i < p->uncore->n_types; i++)
        if (r->box(p->uncore->types[i]))
            return true;
    return r->profile && r->profile(p);
}

const char *capability_text(enum capability c)
{
    return rules[c].text;
}
