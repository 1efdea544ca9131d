/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/identity.h"

#include "core/base/text.h"

/* The linker script puts these around the ELF note: 16 bytes of header and name, then 20 of SHA-1. */
extern const unsigned char assay_build_id[], assay_build_id_end[];

void identity_build_id(char out[41])
{
    const unsigned char *id = assay_build_id + 16; /* ELF note: name size, data size, type, "GNU\0", then the SHA-1 */
    size_t n = 0;

    for (; id < assay_build_id_end && n < 40; id++)
        n += text_format(out + n, 41 - n, "%02x", *id);
    out[n] = '\0';
}

void identity_secure_boot(EFI_SYSTEM_TABLE *st, struct machine *m)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;
    uint8_t value = 0;
    UINTN size = sizeof(value);
    CHAR16 name[] = L"SecureBoot";

    m->secure_boot_known =
        !EFI_ERROR(st->RuntimeServices->GetVariable(name, &global, NULL, &size, &value)) && size == sizeof(value);
    m->secure_boot = m->secure_boot_known && value == 1;
}
