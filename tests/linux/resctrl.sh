# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/resctrl.sh: the kernel's resctrl on the virtual silicon. Sourced by init.
fs=/sys/fs/resctrl

info() { # file, expected
    same "resctrl.info-$(basename "$1")" "$2" "$(tr '\n' ' ' <"$fs/info/$1" | sed 's/ $//')"
}

in_group() { # group, processor, command...: run there
    local group="$1" cpu="$2"
    shift 2
    taskset "$(printf '%x' $((1 << cpu)))" sh -c 'echo $$ >"$0/tasks" && exec "$@"' "$fs/$group" "$@"
}

l3_of() { cat "/sys/devices/system/cpu/cpu$1/cache/index3/id"; }

# A group's files against the silicon's own figures and against the load, on one processor.
measure() { # name, processor
    local name="$1" cpu="$2" dom folder half=$((l3_kib * 1024 / 2)) big=$((l3_kib * 1536)) out
    dom=$(l3_of "$cpu")
    mkdir "$fs/$name" || { bad "resctrl.$name-group" "cannot be made"; return; }
    folder=$fs/$name/mon_data/$(printf 'mon_L3_%02d' "$dom")

    out=$(in_group "$name" "$cpu" load read $half 1 - "$folder")
    echo "SAY $name half of L3 read: $out"
    near "resctrl.$name-occupancy-is-the-silicon's" "$(value lines "$out")" "$(value seen_lines "$out")" 5
    near "resctrl.$name-occupancy-is-the-buffer's" $half "$(value seen_lines "$out")" 10

    out=$(in_group "$name" "$cpu" load read $big 1 - "$folder")
    echo "SAY $name L3 and a half read: $out"
    near "resctrl.$name-total-is-the-silicon's" "$(value total "$out")" "$(value seen_total "$out")" 5
    near "resctrl.$name-total-is-the-load's" $big "$(value seen_total "$out")" 5
    near "resctrl.$name-local-is-the-silicon's" "$(value local "$out")" "$(value seen_local "$out")" 5
    near "resctrl.$name-local-is-the-load's" $big "$(value seen_local "$out")" 5

    out=$(in_group "$name" "$cpu" load write $big 1 $((dom == 0)) "$folder")
    echo "SAY $name L3 and a half of the other node's memory written: $out"
    near "resctrl.$name-remote-total" "$(value total "$out")" "$(value seen_total "$out")" 5
    between "resctrl.$name-remote-is-not-local" 0 $((big / 20)) "$(value seen_local "$out")"
}

# A mask limits occupancy to its share of the ways, wherever it lies.
limit() { # processor, mask, ways of it
    local cpu="$1" mask="$2" dom out share=$((l3_kib * 1024 / ways * $3))
    dom=$(l3_of "$cpu")
    mkdir -p "$fs/limited"
    echo "L3:$dom=$mask" >"$fs/limited/schemata" || { bad resctrl.schemata "$mask is refused"; return; }
    out=$(in_group limited "$cpu" load read $((share * 3)) 1 - "$fs/limited/mon_data/$(printf 'mon_L3_%02d' "$dom")")
    echo "SAY mask $mask: $out"
    between "resctrl.mask-$mask-limits-occupancy" $((share * 9 / 10)) $((share + 65536)) "$(value seen_lines "$out")"
    rmdir "$fs/limited"
}

load feed 1
if ! mount -t resctrl resctrl $fs; then
    bad resctrl.mount "refused: $(dmesg | grep -i resctrl | tail -n 1)"
else
    ok resctrl.mount
    info L3_MON/num_rmids "$num_rmids"
    info L3_MON/mon_features "$mon_features"
    info L3_MON/max_threshold_occupancy "$max_threshold_occupancy"
    info L3/cbm_mask "$cbm_mask"
    info L3/num_closids "$num_closids"
    info L3/min_cbm_bits "$min_cbm_bits"
    info L3/shareable_bits "$shareable_bits"
    last=$(($(grep -c ^processor /proc/cpuinfo) - 1))
    measure first 0
    [ $last -eq 0 ] || measure last $last
    limit 0 3 2
    limit 0 f0 4
    rmdir $fs/first $fs/last 2>/dev/null
    umount $fs
fi
