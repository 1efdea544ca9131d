# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/pqos.sh: Intel's pqos on the virtual silicon, through the kernel and by itself. Sourced by init.

run_pqos() { # name, arguments...: its output is in /tmp/pqos
    local name="$1"
    shift
    if pqos "$@" >/tmp/pqos 2>&1; then
        ok "$name"
    else
        bad "$name" "pqos $* ended with $?: $(grep -m 1 ERROR /tmp/pqos)"
        return 1
    fi
}

column() { # header: that column of /tmp/csv, without the header
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } c { print $c }' /tmp/csv
}

# What pqos -m shows of processor 0 while a load runs there. There is no core PMU, so it must not open perf's counters.
monitor() { # interface, option
    local name="pqos.$1" rmid before after big=$((l3_kib * 1536)) pid dom
    dom=$(cat /sys/devices/system/cpu/cpu0/cache/index3/id)
    : >/tmp/csv
    load truths "$dom" "$num_rmids" >/tmp/truths # whichever RMID it will take
    pqos "$2" --disable-mon-ipc --disable-mon-llc_miss -m all:0 -i 10 -t inf -u csv -o /tmp/csv >/tmp/pqos 2>&1 &
    pid=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do # until it has its RMID, which its first line tells
        [ "$(wc -l </tmp/csv)" -ge 2 ] && break
        sleep 1
    done
    rmid=$(value rmid "$(taskset 1 load read 65536 1 - -)")
    before=$(grep "^rmid $rmid " /tmp/truths)
    taskset 1 load read $big 1 - - >/tmp/load
    taskset 1 load read $((l3_kib * 512)) 1 - - >>/tmp/load
    after=$(taskset 1 load truth "$dom" "$rmid")
    sleep 2 # so that it has read what the load left
    kill -INT $pid
    if ! wait $pid; then
        bad "$name-monitors" "pqos $2 -m ended with an error: $(grep -m 1 ERROR /tmp/pqos)"
        return
    fi
    ok "$name-monitors"
    sed 's/^/# /' /tmp/csv
    # MBR is total less local, read one after the other while the load continues: local alone is exact
    near "$name-bandwidth" $((($(value local "$after") - $(value local "$before")) >> 20)) \
        "$(column "MBL[MB/s]" | awk '{ sum += $1 } END { printf "%d", sum }')" 5
    near "$name-occupancy" $(($(value lines "$after") >> 10)) "$(column "LLC[KB]" | awk 'END { printf "%d", $1 }')" 5
}

shown() { sed -n "$1" /tmp/pqos | head -n 1; } # sed's instruction: what /tmp/pqos says of it first

# -d, -s, -e and -a, and what the registers hold then. Through the kernel there are as many classes as all resources have.
allocate() { # interface, option, classes
    local name="pqos.$1"
    run_pqos "$name-detects" "$2" -d && same "$name-classes" "$3" "$(shown '/L3 CAT/,$s/.*Num COS: *//p')"
    for word in "LLC Occupancy" "Total Memory Bandwidth" "Local Memory Bandwidth"; do
        grep -q "$word" /tmp/pqos || bad "$name-events" "no $word"
    done
    run_pqos "$name-sets-mask" "$2" -e "llc:1=0xf" && same "$name-mask-is-in-register" f "$(load rdmsr 0xC91)"
    run_pqos "$name-shows" "$2" -s && {
        same "$name-mask-is-shown" 0xf "$(shown 's/.*L3CA COS1 => MASK *//p')"
        same "$name-masks-are-the-part's" "0x$cbm_mask" "$(shown 's/.*L3CA COS0 => MASK *//p')"
    }
    run_pqos "$name-associates" "$2" -a "llc:1=0" && same "$name-class-is-in-register" 1 \
        "$(value clos "$(taskset 1 load read 65536 1 - -)")"
    run_pqos "$name-resets" "$2" -R && same "$name-mask-is-reset" "$cbm_mask" "$(load rdmsr 0xC91)"
}

load feed 1
allocate os -I "${usable_closids:-$num_closids}"
monitor os -I
umount /sys/fs/resctrl 2>/dev/null
allocate msr --iface=msr "$num_closids"
monitor msr --iface=msr
