/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/tpm/attest.h"

#include "efi/console/console.h"
#include "efi/tpm/tcg2.h"

bool attest_begin(EFI_SYSTEM_TABLE *st, struct report *report, uint32_t pcr)
{
    enum status s = pcr ? tcg2_find(st) : ST_OK;

    if (s != ST_OK)
        report_error(report, "no-tpm", "PCR %u cannot be extended: %s", pcr,
                     s == ST_ABSENT ? "firmware offers no TPM 2.0 (EFI_TCG2_PROTOCOL)" : "no bank of PCRs is active");
    return s == ST_OK;
}

bool attest_end(EFI_SYSTEM_TABLE *st, struct reports *reports, uint32_t pcr, const char sha256[65])
{
    const void *log;
    size_t bytes;
    bool logged = true;
    enum status s = pcr ? tcg2_extend(st, pcr, sha256, &logged) : ST_OK;

    if (s != ST_OK)
        console_say("assay: PCR %u is not extended: %s", pcr, status_text(s));
    if (pcr == 0 || s != ST_OK)
        return pcr == 0;
    if (!logged) {
        console_say("PCR %u: extended with the report's SHA-256; firmware's log is full and lacks the event", pcr);
        return true;
    }
    s = tcg2_log(st, &log, &bytes);
    if (s == ST_OK)
        s = reports_put(reports, "report.tcglog", log, bytes);
    console_say("PCR %u: extended with the report's SHA-256, %s%s", pcr,
                s == ST_OK ? "firmware's log is in report.tcglog" : "firmware's log is not on the volume: ",
                s == ST_OK ? "" : status_text(s));
    return true;
}
