# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/support/drivers/cut_disk.py: a disk as a power cut leaves it, and the FAT32 on it.

WriteLog reads what QEMU's blklogwrites wrote: Linux' format of dm-log-writes (Documentation/admin-guide/device-mapper/
log-writes.rst; struct log_write_super and log_write_entry). Disk holds a partition as a file, with sectors changed in place, so
that fsck.fat can look at it; Fat reads its files (Microsoft FAT specification, 2005: 3 BPB, 4 FAT, 6 directories).
"""
import json
import mmap
import os
import re
import shutil
import struct
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SECTOR = 512
FLUSH, FUA, DISCARD = 1, 2, 4
FIRST, SECTORS = 2048, 126 * 2048  # the partition of scripts/image
# What fsck.fat -a sets right without a loss: chains longer than their file and the other way round, the count of free
# clusters, a folder that was being made.
REPAIRED = re.compile(r"Free cluster summary|Auto-correcting|Leaving filesystem|Reclaimed \d+ unused|FATs differ|Using first FAT|"
                    r"File size is|Truncating file|Contains a free cluster|Expected a valid '\.|Creating\.|^/ASSAY|Dirty bit|"
                    r"Automatically removing|Moving entry down")


def write_log(path):
    """[(flags, sector, data)] in the order in which the requests finished"""
    entries, at = [], SECTOR
    with open(path, "rb") as f:
        log = f.read()
    while at + 32 <= len(log):
        sector, sectors, flags, length = struct.unpack_from("<QQQQ", log, at)
        at += SECTOR
        if length or flags & DISCARD:
            raise ValueError("an entry of another kind in %s" % path)
        entries.append((flags, sector, log[at:at + sectors * SECTOR]))
        at += sectors * SECTOR
    return entries


def sectors_of(entry):
    """Sectors that the request writes, one by one: a request may be cut in two."""
    _, sector, data = entry
    return [(sector + n, data[n * SECTOR:(n + 1) * SECTOR]) for n in range(len(data) // SECTOR)]


class Disk:
    """A partition, from first_sector on, as a file that can be changed and put back."""

    def __init__(self, base, first_sector, sectors, path):
        with open(base, "rb") as f, open(path, "wb") as out:
            f.seek(first_sector * SECTOR)
            for n in range(0, sectors * SECTOR, 1 << 20):
                piece = f.read(min(1 << 20, sectors * SECTOR - n))
                if piece.strip(b"\0"):
                    out.seek(n)
                    out.write(piece)
            out.truncate(sectors * SECTOR)
        self.path, self.first, self.sectors = path, first_sector, sectors
        with open(path, "r+b") as f:
            self.bytes = mmap.mmap(f.fileno(), 0)
        self.before, self.now = {}, {}

    def show(self, overlay):
        """The partition is as it was at the beginning, with these sectors of the disk: {number: data}."""
        for sector in [s for s in self.now if s not in overlay]:
            self._put(sector, self.before[sector])
            del self.now[sector]
        for sector, data in overlay.items():
            if self.now.get(sector) is not data and self.first <= sector < self.first + self.sectors:
                at = (sector - self.first) * SECTOR
                self.before.setdefault(sector, self.bytes[at:at + SECTOR])
                self._put(sector, data)
                self.now[sector] = data

    def _put(self, sector, data):
        at = (sector - self.first) * SECTOR
        self.bytes[at:at + SECTOR] = data

    def fsck(self):
        """What fsck.fat finds, one line each; nothing: the file system is clean."""
        done = subprocess.run(["fsck.fat", "-n", self.path], capture_output=True, text=True)
        if done.returncode == 0:
            return []
        return [line.strip() for line in done.stdout.split("\n")[1:] if line.strip() and "files," not in line] or ["?"]

    def repaired(self, path):
        """fsck.fat -a of a copy; its files, and what it then still finds."""
        subprocess.run(["cp", "--sparse=always", self.path, path], check=True)
        subprocess.run(["fsck.fat", "-a", path], capture_output=True)
        left = subprocess.run(["fsck.fat", "-n", path], capture_output=True, text=True)
        with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
            return Fat(m).files(), left.stdout if left.returncode else ""


class Damaged(Exception):
    """The file system cannot be read."""


class Fat:
    """The files of a FAT32."""

    def __init__(self, partition):
        self.p = partition
        (self.sector, self.per_cluster, reserved, fats) = struct.unpack_from("<HBHB", partition, 11)
        size, self.root = struct.unpack_from("<I", partition, 36)[0], struct.unpack_from("<I", partition, 44)[0]
        if self.sector != SECTOR or fats != 2 or not size:
            raise Damaged("no FAT32")
        self.fat = reserved * SECTOR
        self.data = (reserved + fats * size) * SECTOR
        self.cluster = self.per_cluster * SECTOR

    def chain(self, cluster, most):
        """Bytes of the chain, of at most so many."""
        out, seen = [], 0
        while 2 <= cluster < 0x0FFFFFF7 and seen < most:
            at = self.data + (cluster - 2) * self.cluster
            if at + self.cluster > len(self.p):
                raise Damaged("cluster %u is after the end" % cluster)
            out.append(self.p[at:at + self.cluster])
            seen += self.cluster
            cluster = struct.unpack_from("<I", self.p, self.fat + 4 * cluster)[0] & 0x0FFFFFFF
        return b"".join(out)

    def folder(self, cluster):
        """(name, is a folder, first cluster, size)"""
        long_name, raw = {}, self.chain(cluster, 1 << 20)
        for at in range(0, len(raw), 32):
            e = raw[at:at + 32]
            if e[0] == 0:
                return
            if e[0] == 0xE5:
                long_name = {}
            elif e[11] == 0x0F:
                long_name[e[0] & 0x3F] = (e[1:11] + e[14:26] + e[28:32]).decode("utf-16-le", "replace")
            else:
                short = e[0:8].decode("latin-1").rstrip() + ("." + e[8:11].decode("latin-1").rstrip()).rstrip(".")
                name = "".join(long_name[n] for n in sorted(long_name)).split("\0")[0] or short
                long_name = {}
                if not e[11] & 8 and not short.startswith("."):
                    yield (name, bool(e[11] & 0x10), struct.unpack_from("<H", e, 20)[0] << 16 | struct.unpack_from("<H", e, 26)[0],
                           struct.unpack_from("<I", e, 28)[0])

    def files(self, under="assay/reports"):
        """{path below that folder: bytes}; a chain that ends before the size leaves the file short."""
        out, cluster = {}, self.root
        for part in under.split("/"):
            found = [f for f in self.folder(cluster) if f[1] and f[0].lower() == part]
            if not found:
                return {}
            cluster = found[0][2]
        for name, is_folder, first, size in self.folder(cluster):
            if not is_folder:
                out[name] = self.chain(first, size)[:size]
                continue
            for inner, deep, at, length in self.folder(first) if first else ():
                if not deep:
                    out[name + "/" + inner] = self.chain(at, length)[:length]
        return out


def partition(image, folder):
    """The partition of a stick that scripts/image made, as folder/partition."""
    return Disk(image, FIRST, SECTORS, os.path.join(folder, "partition"))


def next_boot(media, folder):
    """What the payload makes of media, (journal, report.jsonl) each, None where there is none: build/host/next-boot's answers."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    written, names = {}, []
    for what in (file for medium in media for file in medium):
        if what is not None and what not in written:
            written[what] = os.path.join(folder, "%d" % len(written))
            with open(written[what], "wb") as f:
                f.write(what)
        names.append(written.get(what, "-"))
    done = subprocess.run([os.path.join(ROOT, "build/host/next-boot")], input="\n".join(names) + "\n", capture_output=True, text=True,
                          check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
