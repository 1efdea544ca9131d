/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_address.h: which physical address the guest touched. For plugin.c alone.
 *
 * A version 1 plugin is given virtual addresses. Under UEFI virtual is physical (address=virtual, the default, costs
 * nothing). An operating system has its own tables, and QEMU's word for the physical address is needed
 * (address=physical). In QEMU 7.2 that word is wrong for RAM: it is the offset of the memory backend plus that of its
 * region plus the offset inside, which counts the backend's place twice and knows nothing of the hole below 4 GiB. But
 * within one contiguous piece of RAM it is wrong by a constant, so the constants are measured: before anything else
 * runs, while virtual is still physical, the shim reads a byte of each piece (channel->touch).
 */
#pragma once
#include "tests/silicon/qemu/plugin_state.h"

/* The middle of each piece, which is memory whatever lies at its ends. */
static void address_ask(volatile uint64_t touch[CHANNEL_TOUCHES])
{
    for (uint32_t i = 0; i < CHANNEL_TOUCHES; i++)
        touch[i] = plugin.physical_wanted && i < plugin.n_pieces
                       ? (plugin.pieces[i].base + plugin.pieces[i].bytes / 2) & ~UINT64_C(63)
                       : 0;
}

/* The shim reads: the answer to address_ask(), if it is one. Before the other processors run. */
static void address_learn(qemu_plugin_meminfo_t info, uint64_t address)
{
    bool all = true;

    for (uint32_t i = 0; i < plugin.n_pieces; i++) {
        struct piece *p = &plugin.pieces[i];

        if (!p->known && plugin.channel->touch[i] == address) {
            const struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, address);

            if (hw && !qemu_plugin_hwaddr_is_io(hw)) {
                p->reported = qemu_plugin_hwaddr_phys_addr(hw) - (address - p->base);
                p->known = true;
            }
        }
        all &= p->known;
    }
    plugin.physical_known = all;
}

/* False: not RAM of the model. */
static inline bool address_physical(qemu_plugin_meminfo_t info, uint64_t address, uint64_t *physical)
{
    const struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, address);
    uint64_t reported;

    if (!hw || qemu_plugin_hwaddr_is_io(hw))
        return false;
    reported = qemu_plugin_hwaddr_phys_addr(hw);
    for (uint32_t i = 0; i < plugin.n_pieces; i++) {
        if (reported - plugin.pieces[i].reported < plugin.pieces[i].bytes) {
            *physical = reported - plugin.pieces[i].reported + plugin.pieces[i].base;
            return true;
        }
    }
    return false;
}
