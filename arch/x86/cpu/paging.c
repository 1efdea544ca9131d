/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/paging.h"

#include "core/base/bits.h"

#define ENTRY_PRESENT BIT(0)
#define ENTRY_WRITE   BIT(1)
#define ENTRY_USER    BIT(2)
#define ENTRY_PS      BIT(7)
#define ENTRY_ADDRESS BITS(51, 12)
#define ENTRY_XD      BIT(63)
#define CR0_WP        BIT(16)
#define CR4_LA57      BIT(12)
#define CR4_SMEP      BIT(20)
#define EFER_NXE      BIT(11)
#define LEVEL_BITS    9u
#define PAGE_BITS     12u

uint32_t paging_rights(const struct page_tables *t, uint64_t address, uint64_t *end)
{
    uint64_t table = t->cr3 & ENTRY_ADDRESS;
    bool write = true, execute = true, user = true;

    for (uint32_t level = t->cr4 & CR4_LA57 ? 5 : 4; level > 0; level--) {
        uint32_t shift = PAGE_BITS + LEVEL_BITS * (level - 1);
        uint64_t entry = t->read(t->context, table + (address >> shift & (BIT(LEVEL_BITS) - 1)) * 8);

        *end = (address | (BIT(shift) - 1)) + 1;
        if (!(entry & ENTRY_PRESENT))
            return 0;
        write &= (entry & ENTRY_WRITE) != 0;
        user &= (entry & ENTRY_USER) != 0;
        execute &= !((entry & ENTRY_XD) && (t->efer & EFER_NXE));
        if (level == 1 || ((entry & ENTRY_PS) && level <= 3))
            break;
        table = entry & ENTRY_ADDRESS;
    }
    write |= !(t->cr0 & CR0_WP);
    execute &= !(user && (t->cr4 & CR4_SMEP));
    return PAGE_READ | (write ? PAGE_WRITE : 0) | (execute ? PAGE_EXECUTE : 0);
}

uint32_t paging_range_rights(const struct page_tables *t, uint64_t base, uint64_t bytes, uint64_t *both)
{
    uint32_t any = 0;
    bool found = false;

    for (uint64_t at = base, end = base; bytes > 0 && at - base < bytes; at = end) {
        uint32_t rights = paging_rights(t, at, &end);

        any |= rights;
        if (!found && (rights & PAGE_WRITE) && (rights & PAGE_EXECUTE)) {
            found = true;
            *both = at;
        }
        if (end <= at) /* the end of what addresses there are */
            break;
    }
    return any;
}

const char *paging_rights_text(uint32_t rights)
{
    static const char *const texts[8] = { "---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx" };

    return texts[rights & 7];
}
