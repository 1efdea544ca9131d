/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim_files/disk.h"

#include "tests/silicon/shim/vcpu.h"

EFI_GUID block_io_guid = { 0x964e5b21, 0x6459, 0x11d2, { 0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };

static struct disk {
    EFI_BLOCK_IO *io;
    EFI_BLOCK_READ read;
    EFI_BLOCK_WRITE write;
    EFI_BLOCK_FLUSH flush;
} disks[DISKS];
static UINTN n_disks;
static uint32_t depth; /* requests within requests are part of the first */

void disk_begin(void)
{
    if (depth++ == 0)
        vcpu_device_begins();
}

void disk_end(uint64_t bytes)
{
    if (--depth == 0)
        vcpu_device_ends(bytes);
}

static const struct disk *disk_of(const EFI_BLOCK_IO *io)
{
    const struct disk *d = disks;

    while (d->io != io)
        d++;
    return d;
}

static EFI_STATUS EFIAPI read_blocks(EFI_BLOCK_IO *io, UINT32 media, EFI_LBA lba, UINTN bytes, VOID *buffer)
{
    EFI_STATUS status;

    disk_begin();
    status = disk_of(io)->read(io, media, lba, bytes, buffer);
    disk_end(bytes);
    return status;
}

static EFI_STATUS EFIAPI write_blocks(EFI_BLOCK_IO *io, UINT32 media, EFI_LBA lba, UINTN bytes, VOID *buffer)
{
    EFI_STATUS status;

    disk_begin();
    status = disk_of(io)->write(io, media, lba, bytes, buffer);
    disk_end(bytes);
    return status;
}

static EFI_STATUS EFIAPI flush_blocks(EFI_BLOCK_IO *io)
{
    EFI_STATUS status;

    disk_begin();
    status = disk_of(io)->flush(io);
    disk_end(0);
    return status;
}

static void take(EFI_BLOCK_IO *io)
{
    if (n_disks == DISKS || io->Media->LogicalPartition || io->ReadBlocks == read_blocks)
        return;
    disks[n_disks++] = (struct disk){ io, io->ReadBlocks, io->WriteBlocks, io->FlushBlocks };
    io->ReadBlocks = read_blocks;
    io->WriteBlocks = write_blocks;
    io->FlushBlocks = flush_blocks;
}

void disks_take(EFI_BOOT_SERVICES *bs)
{
    EFI_HANDLE *handles;
    EFI_BLOCK_IO *io;
    UINTN n = 0;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &block_io_guid, NULL, &n, &handles)))
        return;
    for (UINTN i = 0; i < n; i++)
        if (!EFI_ERROR(bs->HandleProtocol(handles[i], &block_io_guid, (VOID **)&io)))
            take(io);
    bs->FreePool(handles);
}

void disks_return(void)
{
    for (UINTN i = 0; i < n_disks; i++) {
        disks[i].io->ReadBlocks = disks[i].read;
        disks[i].io->WriteBlocks = disks[i].write;
        disks[i].io->FlushBlocks = disks[i].flush;
    }
    n_disks = 0;
}
