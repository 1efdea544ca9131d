# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/record.sh: assay-record in the guest; what it wrote goes to the console, compressed. Sourced by init.

insmod "$modules/cpuid.ko" || bad record.cpuid-module "cannot be loaded"
if python3 /assay/scripts/assay-record -o /tmp/linux.machine 2>/tmp/missing; then
    ok record.assay-record
    sed 's/^/SAY /' /tmp/missing
    gzip -c /tmp/linux.machine | base64 | sed 's/^/RECORDED /'
else
    bad record.assay-record "$(cat /tmp/missing)"
fi
