/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/status.h"
#include "efi/tpm/tcg2.h"

#include <stdint.h>
#include <string.h>

#include "core/report/event_log.h"
#include "core/base/braced.h"

#define TCG2_GUID       BRACED(0x607f766c, 0x7455, 0x42be, { 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f })
#define TCG2_LOG_FORMAT 2u    /* EFI_TCG2_EVENT_LOG_FORMAT_TCG_2, "crypto agile" */
#define EV_IPL          0x0Du /* PC Client Platform Firmware Profile 1.05, 10.4.1: of what is loaded after firmware */
#define ENTRY_MOST      65536u

struct tcg2_protocol;
typedef EFI_STATUS(EFIAPI *tcg2_unused)(void);
struct tcg2_protocol {
    tcg2_unused get_capability;
    EFI_STATUS(EFIAPI *get_event_log)
    (struct tcg2_protocol *this, uint32_t format, EFI_PHYSICAL_ADDRESS *log, EFI_PHYSICAL_ADDRESS *last,
     BOOLEAN *truncated);
    EFI_STATUS(EFIAPI *hash_log_extend_event)
    (struct tcg2_protocol *this, uint64_t flags, EFI_PHYSICAL_ADDRESS data, uint64_t bytes, void *event);
    tcg2_unused submit_command;
    EFI_STATUS(EFIAPI *get_active_pcr_banks)(struct tcg2_protocol *this, uint32_t *banks);
};

struct tcg2_event { /* EFI_TCG2_EVENT */
    uint32_t size;  /* of all of it */
    uint32_t header_size;
    uint16_t header_version;
    uint32_t pcr;
    uint32_t type;
    char event[EVENT_LOG_TEXT];
} __attribute__((packed));
_Static_assert(offsetof(struct tcg2_event, event) == 18 && offsetof(struct tcg2_event, pcr) == 10,
               "TCG EFI Protocol Specification, 6.6.3");

static struct tcg2_protocol *protocol(EFI_SYSTEM_TABLE *st)
{
    static EFI_GUID guid = TCG2_GUID;
    void *found = NULL;

    return EFI_ERROR(st->BootServices->LocateProtocol(&guid, NULL, &found)) ? NULL : found;
}

enum status tcg2_find(EFI_SYSTEM_TABLE *st)
{
    struct tcg2_protocol *tcg2 = protocol(st);
    uint32_t banks = 0;

    if (!tcg2)
        return ST_ABSENT;
    return EFI_ERROR(tcg2->get_active_pcr_banks(tcg2, &banks)) || banks == 0 ? ST_UNSUPPORTED : ST_OK;
}

enum status tcg2_extend(EFI_SYSTEM_TABLE *st, uint32_t pcr, const char sha256[65], bool *logged)
{
    struct tcg2_protocol *tcg2 = protocol(st);
    struct tcg2_event e = { .header_size = 14, .header_version = 1, .pcr = pcr, .type = EV_IPL };
    char text[EVENT_LOG_TEXT];
    size_t n = event_log_text(sha256, text);
    EFI_STATUS s;

    if (!tcg2)
        return ST_ABSENT;
    memcpy(e.event, text, n);
    e.size = (uint32_t)(offsetof(struct tcg2_event, event) + n);
    s = tcg2->hash_log_extend_event(tcg2, 0, (EFI_PHYSICAL_ADDRESS)(UINTN)text, n, &e);
    *logged = s == EFI_SUCCESS;
    return s == EFI_VOLUME_FULL ? ST_OK : status_from_efi(s);
}

enum status tcg2_log(EFI_SYSTEM_TABLE *st, const void **log, size_t *bytes)
{
    struct tcg2_protocol *tcg2 = protocol(st);
    EFI_PHYSICAL_ADDRESS first = 0, last = 0;
    BOOLEAN truncated = FALSE;
    size_t entry;

    if (!tcg2 || EFI_ERROR(tcg2->get_event_log(tcg2, TCG2_LOG_FORMAT, &first, &last, &truncated)) || !first ||
        last <= first || truncated)
        return ST_ABSENT;
    entry = event_log_entry(&(struct event_log){ (const uint8_t *)(UINTN)first, (size_t)(last - first) },
                            (const uint8_t *)(UINTN)last, ENTRY_MOST);
    *log = (const void *)(UINTN)first;
    *bytes = (size_t)(last - first) + entry;
    return entry ? ST_OK : ST_CORRUPT;
}
