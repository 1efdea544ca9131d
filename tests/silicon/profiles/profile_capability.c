/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A row a capability: a bit of CPUID, a field of the profile, a box type of the uncore, or a function of the whole
 * profile. */
#include "tests/silicon/profiles/profile_capability.h"

#include <stddef.h>

#include "core/base/bits.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/model_discovery.h"
#include "tests/silicon/uncore/uncore_server.h"

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
    for (uint32_t i = 0; i < t->n_events; i++)
        if (t->events[i].source == source)
            return true;
    return false;
}

static bool shows(const struct uncore_box_type *t, enum uncore_reg_kind kind, uncore_source *source)
{
    for (uint32_t i = 0; i < t->n_regs; i++)
        if (t->regs[i].kind == kind && (!source || t->regs[i].source == source))
            return true;
    return false;
}

#define BOX(name, is)                                                                                                  \
    static bool box_##name(const struct uncore_box_type *t)                                                            \
    {                                                                                                                  \
        return is;                                                                                                     \
    }
BOX(ubox, t->unit == UNIT_UBOX && t->counters)
BOX(ubox_invert, t->unit == UNIT_UBOX && t->counters && t->ctl->invert)
BOX(invert, t->counters && t->ctl->invert)
BOX(ctl, t->box_ctl && !t->box_ctl->run)
BOX(frz_en, t->box_ctl && t->box_ctl->frz_en)
BOX(reset, t->counters && t->ctl->rst)
BOX(ov_en, t->counters && t->ctl->ov_en && !t->overflow_always)
BOX(overflow, (shows(t, REG_STATUS, NULL) || shows(t, REG_STATUS_READ, NULL) || shows(t, REG_GLOBAL_CLEAR, NULL)) &&
                  (t->ctl->ov_en || t->overflow_always))
BOX(fixed_overflow, t->fixed_bits && t->ctl->fixed_ov_en && box_overflow(t))
BOX(pci, t->access == UNCORE_PCI && t->counters)
BOX(tor_umask, counts(t, source_skx_tor) || counts(t, source_icx_tor))
BOX(tor, box_tor_umask(t) || counts(t, source_e5_tor))
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
    for (uint32_t i = 0; i < t->n_events; i++)
        if (t->events[i].cycles)
            return true;
    return false;
}

static bool box_ubox_ipi(const struct uncore_box_type *t)
{
    for (uint32_t i = 0; i < t->n_events; i++)
        if (t->events[i].source == source_message && (t->events[i].arg & MESSAGE_IPI))
            return true;
    return false;
}

/* Requests for the package's own memory, or for others', alone. */
static bool box_home(const struct uncore_box_type *t)
{
    for (uint32_t i = 0; i < t->n_events; i++)
        if ((t->events[i].source == source_home || t->events[i].source == source_cha_home) &&
            (t->events[i].arg & (HOME_LOCAL | HOME_REMOTE)) != (HOME_LOCAL | HOME_REMOTE))
            return true;
    return false;
}

static bool box_tor_homes(const struct uncore_box_type *t)
{
    for (uint32_t i = 0; i < t->n_events; i++)
        if (t->events[i].source == source_skx_tor ||
            ((t->events[i].source == source_e5_tor || t->events[i].source == source_icx_tor) &&
             !(t->events[i].arg & TOR_ANY_HOME)))
            return true;
    return false;
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

static const struct rule rules[CAPABILITIES] = {
    [CAP_INTEL] = { "processor of Intel", .profile = has_intel },
    [CAP_AMD] = { "processor of AMD", FIELD(amd) },
    [CAP_UNRECORDED] = { "no public recording of CPUID", FIELD(unrecorded) },
    [CAP_CMT] = { "CMT (CPUID.0FH.1:EDX[0])", CPUID(0xF, 1, EDX, 0) },
    [CAP_MBM_TOTAL] = { "total MBM (CPUID.0FH.1:EDX[1])", CPUID(0xF, 1, EDX, 1) },
    [CAP_MBM_LOCAL] = { "local MBM (CPUID.0FH.1:EDX[2])", CPUID(0xF, 1, EDX, 2) },
    [CAP_MBM_NEAR_WRAP] = { "MBM counters that start near their roll-over", FIELD(mbm_starts_near_wrap) },
    [CAP_MBM_NT_STORES] = { "MBM of non-temporal stores", FIELD(mbm_counts_nt_stores) },
    [CAP_MBM_ERRATUM] = { "correction factor of MBM (errata BDF102, SKX99)", .profile = has_erratum },
    [CAP_RMIDS_ODD] = { "RMID that its field can hold and that is not enumerated", .profile = has_odd_rmids },
    [CAP_RMID_ABOVE] = { "RMID that IA32_QM_EVTSEL can hold and that is not enumerated", .profile = has_rmid_above },
    [CAP_EVTSEL_PRIVATE] = { "IA32_QM_EVTSEL of each processor's own", FIELD(qm_private) },
    [CAP_L3_INCLUSIVE] = { "inclusive L3", FIELD(l3_inclusive) },
    [CAP_CAT] = { "L3 CAT (CPUID.10H.0:EBX[1])", CPUID(0x10, 0, EBX, 1) },
    [CAP_CAT_HOLES] = { "L3 masks with holes (CPUID.10H.1:ECX[3], or AMD)", .profile = has_cat_holes },
    [CAP_CAT_SPARE] = { "L3 mask register beyond its classes", .profile = has_spare_mask },
    [CAP_CDP] = { "L3 CDP (CPUID.10H.1:ECX[2])", CPUID(0x10, 1, ECX, 2) },
    [CAP_L2_CAT] = { "L2 CAT (CPUID.10H.0:EBX[2])", CPUID(0x10, 0, EBX, 2) },
    [CAP_MBA] = { "MBA (CPUID.10H.0:EBX[3])", CPUID(0x10, 0, EBX, 3) },
    [CAP_MBA_CFG] = { "MBA_CFG (MSR C84H)", FIELD(mba_config) },
    [CAP_CEILING] = { "L3 bandwidth ceilings of AMD (CPUID.80000020H.0:EBX[1])", CPUID(0x80000020, 0, EBX, 1) },
    [CAP_THROTTLE] = { "bandwidth allocation (MBA, or ceilings of AMD)", .profile = has_throttle },
    [CAP_BMEC] = { "configurable bandwidth events (CPUID.80000020H.0:EBX[3])", CPUID(0x80000020, 0, EBX, 3) },
    [CAP_ABMC] = { "assignable bandwidth counters (CPUID.80000020H.0:EBX[5])", CPUID(0x80000020, 0, EBX, 5) },
    [CAP_L3_RANGE] = { "L3 range reservation (CPUID.80000020H.0:EBX[4])", CPUID(0x80000020, 0, EBX, 4) },
    [CAP_SMBE] = { "bandwidth limits of slow memory (CPUID.80000020H.0:EBX[2])", CPUID(0x80000020, 0, EBX, 2) },
    [CAP_SDCIAE] = { "SDCI allocation enforcement (CPUID.80000020H.0:EBX[6])", CPUID(0x80000020, 0, EBX, 6) },
    [CAP_IO_RDT] = { "RDT for I/O (CPUID.0FH.1:EAX[9])", CPUID(0xF, 1, EAX, 9) },
    [CAP_SNC_REGISTER] = { "RMID_SNC_CONFIG (MSR CA0H)", FIELD(rmid_snc_config) },
    [CAP_SNC] = { "RMIDs that clusters (SNC) share out", .profile = has_snc },
    [CAP_CLUSTERS] = { "L3 that is cut into nodes (cluster on die, SNC)", .profile = has_clusters },
    [CAP_ERDT] = { "RDT registers in memory (ACPI ERDT)", FIELD(erdt) },
    [CAP_TELEMETRY] = { "telemetry of energy by RMID", FIELD(telemetry) },
    [CAP_CBA] = { "cache bandwidth allocation in parts of its generation", FIELD(may_have_cba) },
    [CAP_PRIORITY] = { "resource priority in parts of its generation", FIELD(may_have_priority) },
    [CAP_STLB_QOS] = { "STLB QoS in parts of its generation", FIELD(may_have_stlb_qos) },
    [CAP_LEAF_7_1] = { "CPUID leaf 7 sub-leaf 1", .profile = has_leaf_7_1 },
    [CAP_PREFETCH_CONTROL] = { "control of prefetchers (MSR 1A4H)", FIELD(prefetch_control) },
    [CAP_CORE_PMU] = { "architectural counters of the cores (CPUID.0AH)", .profile = has_core_pmu },
    [CAP_RESIDENCY] = { "residency counters of C6 (MSR 3F9H, 3FDH)", .profile = has_residency },
    [CAP_RESIDENCY_PC2] = { "residency counter of package C2 (MSR 60DH)", .profile = has_residency_pc2 },
    [CAP_PMON] = { "uncore PMON of Intel", .profile = has_pmon },
    [CAP_FIXED_UNITS] = { "uncore PMON at documented places, without discovery tables", .profile = has_fixed_units },
    [CAP_DISCOVERY] = { "discovery tables of its uncore PMON", .box = box_discovery },
    [CAP_UBOX] = { "U-box", .box = box_ubox },
    [CAP_UBOX_INVERT] = { "invert bit of U-box counters", .box = box_ubox_invert },
    [CAP_UBOX_IPI] = { "U-box that counts interprocessor interrupts", .box = box_ubox_ipi },
    [CAP_INVERT] = { "invert bit of uncore counters", .box = box_invert },
    [CAP_UNCORE_RATIO] = { "uncore ratio (MSR 621H)", FIELD(uncore_ratio) },
    [CAP_BOX_CTL] = { "uncore box with a control of its own", .box = box_ctl },
    [CAP_FRZ_EN] = { "uncore box that freezes with frz_en alone", .box = box_frz_en },
    [CAP_GLOBAL_FREEZE] = { "global freeze of uncore counters", .profile = has_global_freeze },
    [CAP_COUNTER_ENABLE] = { "enable bit of uncore counters", .profile = has_counter_enable },
    [CAP_COUNTER_RESET] = { "reset bit of uncore counters", .box = box_reset },
    [CAP_OVERFLOW] = { "overflow status of uncore counters", .box = box_overflow },
    [CAP_OV_EN] = { "overflow enable (ov_en) of uncore counters", .box = box_ov_en },
    [CAP_FIXED_OVERFLOW] = { "overflow status of fixed uncore counters", .box = box_fixed_overflow },
    [CAP_PMI] = { "interrupts of uncore counters to chosen cores", .profile = has_pmi },
    [CAP_PCI_BOXES] = { "uncore box in PCI configuration space", .box = box_pci },
    [CAP_CBO] = { "CBo or CHA that counts look-ups", .box = box_cbo },
    [CAP_TOR] = { "TOR events", .box = box_tor },
    [CAP_TOR_HIT_MISS] = { "TOR events that tell hits from misses", .box = box_tor_umask },
    [CAP_TOR_HOMES] = { "TOR events that tell requests for its own memory from others", .box = box_tor_homes },
    [CAP_TID] = { "CBo filter by thread", .box = box_tid },
    [CAP_SBO] = { "SBo", .box = box_sbo },
    [CAP_BANDS] = { "PCU events by frequency band", .box = box_bands },
    [CAP_CORE_STATES] = { "PCU events by state of a core", .box = box_core_states },
    [CAP_OCC_COMPARE] = { "PCU events with occ_invert and occ_edge_det", .box = box_occ_compare },
    [CAP_PSEUDO_CHANNELS] = { "queues of pseudo channels", .box = box_pseudo_channels },
    [CAP_QUEUES] = { "occupancy event of a queue", .box = box_queues },
    [CAP_UMASK_SUMS] = { "uncore event that adds up bits of its umask", .box = box_umask_sums },
    [CAP_CAS_SUMS] = { "CAS event that adds up reads and writes", .box = box_cas_sums },
    [CAP_HOME_EVENTS] = { "events of requests that reached the home agent, local and remote apart", .box = box_home },
    [CAP_HOME_MATCH] = { "home agents that match requests by address", .box = box_home_match },
    [CAP_QPI] = { "QPI or UPI ports", .box = box_qpi },
    [CAP_PACKETS] = { "QPI ports that match packets", .box = box_packets },
    [CAP_UPI_HEADERS] = { "UPI ports that tell message classes apart", .box = box_upi_headers },
    [CAP_IMC] = { "counters of Intel memory channels", .box = box_imc },
    [CAP_IMC_MMIO] = { "memory-mapped iMC counters", .box = box_imc_mmio },
    [CAP_MEM_BARS] = { "base addresses of memory controllers", .box = box_mem_bars },
    [CAP_IMC_SPARE] = { "place for the counters of a further memory channel", .profile = has_spare_channel },
    [CAP_IMC_FREE] = { "free-running iMC counters", .box = box_imc_free },
    [CAP_IMC_FREE_LINES] = { "free-running iMC counters of bandwidth", .box = box_imc_free_lines },
    [CAP_IIO_BANDWIDTH] = { "free-running bandwidth counters of I/O stacks", .box = box_iio_bandwidth },
    [CAP_IIO_PORTS] = { "requests to devices behind the ports of an I/O stack", .box = box_iio_ports },
    [CAP_GLOBAL_ENABLE] = { "boxes that a bit of the global control runs", .box = box_run_by },
    [CAP_FREE_CLOCK] = { "free-running clock of I/O boxes", .box = box_free_clock },
    [CAP_NHM_UNCORE] = { "uncore of Nehalem", .box = box_nhm },
    [CAP_CHA_COUNT] = { "register that counts CHAs", .box = box_cha_count },
    [CAP_NODE_ID] = { "node id register of servers from Skylake-SP on", .box = box_node_id },
    [CAP_BUS_NUMBERS] = { "bus number register (MSR 300H)", .box = box_bus_numbers },
    [CAP_L3_PMC] = { "L3 PMC of AMD", .box = box_l3_pmc },
    [CAP_DF] = { "data fabric counters of AMD", .box = box_df },
    [CAP_DF_BOTH_WAYS] = { "data fabric event that counts reads and writes together", .box = box_df_both_ways },
    [CAP_UMC] = { "UMC counters of AMD", .box = box_umc },
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
