/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Firmware whose log of events is full extends the PCR, does not log, and says EFI_VOLUME_FULL (TCG EFI Protocol Specification,
 * EFI_TCG2_PROTOCOL.HashLogExtendEvent). */
#include "efi/tpm/tcg2.h"

#include <criterion/criterion.h>

static EFI_STATUS says;
static int extended;

static EFI_STATUS EFIAPI unused(void)
{
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI extend(void *, uint64_t, EFI_PHYSICAL_ADDRESS, uint64_t, void *)
{
    extended++;
    return says;
}

static struct {
    void *get_capability, *get_event_log, *hash_log_extend_event, *submit_command, *get_active_pcr_banks;
} protocol = { unused, unused, extend, unused, unused };

static EFI_STATUS EFIAPI locate(EFI_GUID *, VOID *, VOID **found)
{
    *found = &protocol;
    return EFI_SUCCESS;
}

static enum status extend_as(EFI_STATUS answer, bool *logged)
{
    EFI_BOOT_SERVICES services = { .LocateProtocol = locate };
    EFI_SYSTEM_TABLE st = { .BootServices = &services };

    says = answer;
    return tcg2_extend(&st, 12, "0000000000000000000000000000000000000000000000000000000000000000", logged);
}

Test(tcg2_extend, knows_a_full_log_from_a_refusal)
{
    bool logged = false;

    cr_expect_eq(extend_as(EFI_SUCCESS, &logged), ST_OK);
    cr_expect(logged);
    cr_expect_eq(extend_as(EFI_VOLUME_FULL, &logged), ST_OK, "the PCR is extended");
    cr_expect(!logged);
    cr_expect_neq(extend_as(EFI_DEVICE_ERROR, &logged), ST_OK);
    cr_expect_eq(extended, 3);
}
