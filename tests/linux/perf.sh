# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/perf.sh: the kernel's own uncore driver and perf on the virtual silicon. Sourced by init.

# What perf counts of these events while a load of so many bytes is read, and before that once for the caches' state; in
# units without fractions, of which so many are one of perf's. Sets counted: a line for each event, sum: over all of them.
count() { # bytes, events, units
    local event list=""
    for event in $2; do list="$list -e $event"; done
    # shellcheck disable=SC2086
    perf stat -a -x, -o /tmp/perf $list load read "$1" 1 - - >/tmp/load 2>&1
    sed 's/^/# /' /tmp/load /tmp/perf >/dev/console
    counted=$(grep -v '^#' /tmp/perf | awk -F, -v units="$3" 'NF > 3 { printf "%.0f\n", $1 * units }')
    sum=$(echo "$counted" | awk '{ s += $1 } END { printf "%.0f", s }')
}

big=$((l3_kib * 1536))
if uncore_driver perf; then
    for box in $uncore; do
        if [ -d "/sys/bus/event_source/devices/uncore_$box" ]; then
            ok "perf.finds-$box"
        else
            bad "perf.finds-$box" "the driver has: $(cd /sys/bus/event_source/devices && echo uncore_*)"
        fi
    done
    count 65536 "$ticks" 1
    for event in $ticks; do
        n=$(echo "$counted" | head -n 1)
        counted=$(echo "$counted" | tail -n +2)
        between "perf.counts-$(echo "$event" | tr "/" -)" 1 9223372036854775807 "$n"
    done
    # Accesses reach the silicon while the load touches, and not otherwise. An L3 and a half does not fit: all of it moves,
    # but for what the first time finds of an earlier load in the same pages.
    count $big "$perf_reads" "$perf_reads_bytes"
    near "perf.memory-reads-are-the-silicon's" "$(value all "$(cat /tmp/load)")" "$sum" 5
    between "perf.memory-reads-are-the-load's" $big $((big * 23 / 10)) "$sum"
    count $big "$lookups" 64
    near "perf.lookups-are-the-load's" $((big * 2)) "$sum" 10
fi
