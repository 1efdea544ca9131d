/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/families.h: what rows of several files have in common, for CHECK_FAMILY() (core/check/row.h). */
#pragma once
#include "core/check/row.h"

#define CPUID_FAMILY                                                                                                   \
    .no_monitor = true, .rests_on = RESTS_ON_TABLES,                                                                   \
    .means = "a field of CPUID contradicts the specification or another field",                                        \
    .next = "the leaf in the evidence against SDM vol. 2A CPUID; the same leaf on other processors; microcode "        \
            "revision; hypervisor"

#define ACPI_FAMILY                                                                                                    \
    .no_monitor = true, .rests_on = RESTS_ON_TABLES,                                                                   \
    .means = "an ACPI table breaks its specification or contradicts CPUID or SRAT: an operating system that relies "   \
             "on it reads the wrong registers",                                                                        \
    .next = "the offset in the finding against 356688 chapters 5 and 6; the table's bytes in the evidence"

#define QM_FAMILY                                                                                                      \
    .rests_on = RESTS_ON_REGISTERS,                                                                                    \
    .means = "IA32_QM_EVTSEL and IA32_QM_CTR do not follow the protocol of SDM vol. 3B 17.16.7",                       \
    .next = "IA32_QM_EVTSEL, IA32_QM_CTR and processor in the evidence; whether every L3 domain fails; "               \
            "`enum.rmid-range`"

#define AMD_FAMILY(what)                                                                                               \
    .means = what " does not behave as APM vol. 2 19.3.3 has it",                                                      \
    .next = "the writes and reads in the evidence, in order; microcode revision; other L3 domains"

#define UBOX_GUIDE_CONTROL "E5-2600 Uncore Guide 327043-001 2.2.3.2 UBox PMON state, table 2-2 U_MSR_PMON_CTL"
#define UBOX_GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 2.2.3.2 UBox PMON state, table 2-3 U_MSR_PMON_CTR"
#define UBOX_FAMILY                                                                                                    \
    .needs = NEED_UBOX, .risk = RISK_MSR, .rests_on = RESTS_ON_UNCORE,                                                 \
    .means = "the UBox counters of a package do not behave as their guide says",                                       \
    .next = "the register in the evidence; whether every package does it; firmware or a debugger that uses them "      \
            "(`pmon.left-over`)"

#define UNCORE_FAMILY                                                                                                  \
    .needs = NEED_PMON, .rests_on = RESTS_ON_UNCORE,                                                                   \
    .means = "uncore counters do not behave as the part's guide says",                                                 \
    .next = "box, register and value in the evidence; whether other boxes of the kind do it; `pmon.boxes`"

#define UNCORE_TRAFFIC_FAMILY                                                                                          \
    .needs = NEED_PMON, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_UNCORE,                                            \
    .means = "uncore events do not match the traffic",                                                                 \
    .next = "`traffic.channels` and `traffic.slices` first; the event's encoding in the evidence"
