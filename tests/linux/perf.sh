# tests/linux/perf.sh: the kernel's own uncore driver and perf on the virtual silicon. Sourced by init.

# What perf counts of these events, in its own units without fractions, while a load reads so many bytes so many times.
# Sets counted: a line for each event.
count() { # passes, events, bytes
    local event list=""
    for event in $2; do list="$list -e $event"; done
    # shellcheck disable=SC2086
    perf stat -a -x, -o /tmp/perf $list load read "$3" "$1" - - >/tmp/load 2>&1
    sed 's/^/# /' /tmp/load /tmp/perf >/dev/console
    counted=$(grep -v '^#' /tmp/perf | awk -F, 'NF > 3 { printf "%.0f\n", $1 }')
}

# Reading an L3 and a half once more differs by that reading alone, when what lay in the caches before is the same: what
# an earlier load left.
difference() { # events: the sum over them
    local first
    load read $((l3_kib * 1536)) 1 - - >/tmp/load
    count 1 "$1" $((l3_kib * 1536))
    first=$(echo "$counted" | awk '{ s += $1 } END { printf "%.0f", s }')
    count 2 "$1" $((l3_kib * 1536))
    echo "$counted" | awk -v first="$first" '{ s += $1 } END { printf "%.0f", s - first }'
}

load feed 0 # perf compares thousands of event names before it begins
if ! insmod "$modules/intel-uncore.ko"; then
    bad perf.uncore-driver "finds nothing: $(dmesg | grep -i uncore | tail -n 1)"
else
    ok perf.uncore-driver
    for box in $uncore; do
        if [ -d "/sys/bus/event_source/devices/uncore_$box" ]; then
            ok "perf.finds-$box"
        else
            bad "perf.finds-$box" "the driver has: $(cd /sys/bus/event_source/devices && echo uncore_*)"
        fi
    done
    count 1 "$ticks" 65536
    for event in $ticks; do
        n=$(echo "$counted" | head -n 1)
        counted=$(echo "$counted" | tail -n +2)
        between "perf.counts-$(echo "$event" | tr "/" -)" 1 9223372036854775807 "$n"
    done
    near "perf.memory-reads-are-the-load's" $((l3_kib * 1536 / reads_bytes)) "$(difference "$reads")" 5
    near "perf.lookups-are-the-load's" $((l3_kib * 1536 / 64)) "$(difference "$lookups")" 5
fi
