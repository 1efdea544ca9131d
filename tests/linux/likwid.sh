# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/likwid.sh: likwid-perfctr by itself on MSRs, PCI functions and /dev/mem: its groups MEM, CLOCK, L3, and QPI or UPI
# against a known load and the silicon's own figures. Sourced by init. The part's file says in no_likwid why likwid cannot run
# on it, if so, and in likwid_link "GROUP EVENT PROCESSOR BYTES": what counts data that come from the other package, on
# which processor's package, and what a count stands for; on a part without RDT, EVENT:COUNTER,... for GROUP, with CAS_COUNT_RD on
# the memory channels, what the links bring being what the other package reads.

# likwid takes from the kernel which package a PCI function belongs to, and the kernel from firmware's tables (_PXM). Those of
# this machine are QEMU's, without the silicon's buses: each package has an equal part of their numbers, in its order.
for function in /sys/bus/pci/devices/0000:[7f]*; do
    case $function in */0000:7*) echo 0 ;; *) echo 1 ;; esac >"$function/numa_node"
done
printf '#!/bin/sh\n[ "$1" != --noprofile ] || shift\nexec sh "$@"\n' >/bin/bash
chmod +x /bin/bash

# 0: by itself. 1: by its daemon, which alone finds functions that are not on the bus of the memory channels, and which does not
# find the channels of Ice Lake-SP.
mode=0
likwid() { # group or EVENT:COUNTER,..., command...: its figures are in /tmp/out
    local group="$1" named="$1"
    case $group in *:*) named=Custom ;; esac
    shift
    # LIKWID_FORCE and -f: counters that somebody has left behind are taken all the same.
    LIKWID_FORCE=1 timeout 120 likwid-perfctr -M "$mode" -f -c 0,1 -g "$group" -O "$@" </dev/null >/tmp/out 2>&1
    sed 's/^/# /' /tmp/out
    if ! grep -q "^TABLE,Group 1 Raw,$named" /tmp/out; then
        bad "likwid.$named-runs" "$(grep -E 'ERROR|Cannot|not|fault' /tmp/out | head -n 1)"
        return 1
    fi
    ok "likwid.$named-runs"
}

total() { # event, processor, factor: of all counters on the event
    awk -F, -v event="$1" -v column=$(($2 + 3)) -v factor="$3" '
        $1 == event && $column ~ /^[0-9.e+]+$/ { sum += $column }
        END { printf "%.0f", sum * factor }' /tmp/out
}

# Every counter on the event against an equal share of the sum, among those that exist.
shares() { # name, event, processor
    awk -F, -v event="$2" -v column=$(($3 + 3)) -v name="$1" '
        $1 == event && $column ~ /^[0-9]+$/ && $column > 0 { n++; box[n] = $2; seen[n] = $column; sum += $column }
        END { for (i = 1; i <= n; i++) {
            off = (seen[i] * n / sum - 1) * 100
            if (off > worst || -off > worst) worst = off < 0 ? -off : off
        }
        printf "SAY %s: %d counters, off from an equal share by %.2f %%\n", name, n, worst
        print (n && worst < 3 ? "PASS " name : "FAIL " name ": an unequal share") }' /tmp/out
}

moved() { # bytes of the load: the silicon's figure of them, or the load's own on a part without RDT
    local all
    all=$(value all "$(grep '^rmid' /tmp/out)")
    if [ "${all:-0}" -gt 0 ]; then echo "$all"; else echo "$1"; fi
}

compare() { # name, figure of the silicon, of likwid, per cent
    echo "SAY $1: $(awk -v a="$2" -v b="$3" 'BEGIN { printf "%d, off by %.2f %%", b, (b - a) * 100 / a }')"
    near "$1" "$2" "$3" "$4"
}

# As the kernel has measured it in the end: what it detects first is far off on a busy host.
tsc_mhz() { dmesg | sed -n 's/.*tsc: .* \([0-9.]*\) MHz.*/\1/p' | tail -n 1; }

big=$((l3_kib * 1536))
if [ -n "$no_likwid" ]; then
    echo "SKIP likwid: $no_likwid"
else
    load feed 0
    if likwid MEM taskset 1 load read $big 1 - -; then
        compare likwid.memory-reads "$(moved $((big * 2)))" "$(total CAS_COUNT_RD 0 64)" 2
        shares likwid.memory-channels CAS_COUNT_RD 0
        between likwid.memory-other-package 0 $((big / 50)) "$(total CAS_COUNT_RD 1 64)"
    fi
    if likwid MEM taskset 1 load write $big 1 - -; then
        # By the load itself: what was in the L3 before is written too, though it did not come from memory.
        compare likwid.memory-writes $((big * 2 - l3_kib * 1024)) "$(total CAS_COUNT_WR 0 64)" 5
    fi
    if likwid CLOCK usleep 4000000; then
        # Both since the counters were set, which takes time here: neither is the whole of likwid's.
        compare likwid.uncore-clock "$uncore_mhz" "$(awk -v u="$(total "${likwid_clock:-UNCORE_CLOCK}" 0 1)" \
            -v t="$(total CPU_CLK_UNHALTED_REF 0 1)" -v hz="$(tsc_mhz)" 'BEGIN { printf "%.0f", u / t * hz }')" 3
    fi
    if likwid L3 taskset 1 load read $big 1 - -; then
        compare likwid.l2-lines-in $((big * 2 / 64)) "$(total L2_LINES_IN_ALL 0 1)" 5
    fi
    # shellcheck disable=SC2086
    set -- $likwid_link
    mode=1
    if likwid "$1" taskset 1 load read $big 1 1 -; then
        # Without a figure of the silicon's own, by the other package's memory: pages of few colours leave lines in the L3.
        all=$(moved 0)
        if [ "$all" -eq 0 ]; then
            all=$(total CAS_COUNT_RD 1 64)
            between likwid.other-package-reads "$big" $((big * 21 / 10)) "$all"
        fi
        compare likwid.links-bring-it "$all" "$(total "$2" "$3" "$4")" 2
    fi
fi
