# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/after.sh: what RDT's registers hold after a run of Assay, in a kernel that has not written them. Sourced by init.

msr() { # processor, register: its value in hexadecimal; with an upper half, that and a colon first
    dd if="/dev/cpu/$1/msr" bs=8 count=1 skip=$(($2)) iflag=skip_bytes 2>/dev/null |
        hexdump -v -e '2/4 "%x "' | awk '{ print $2 == "0" ? $1 : $2 ":" $1 }'
}

# SDM vol. 3B 17.16.6 and 17.19.4: after reset every processor has RMID 0 and CLOS 0, and each CLOS all ways.
if [ -d /sys/fs/resctrl ]; then bad after.kernel "it has written the registers: resctrl is there"; else ok after.kernel; fi
for cpu in $(sed -n 's/^processor.*: //p' /proc/cpuinfo); do
    same "after.cpu$cpu-pqr-assoc" 0 "$(msr "$cpu" 0xC8F)"
    same "after.cpu$cpu-qm-evtsel" 0 "$(msr "$cpu" 0xC8D)"
    masks=
    for clos in $(seq 0 $((num_closids - 1))); do masks="$masks $(msr "$cpu" $((0xC90 + clos)))"; done
    same "after.cpu$cpu-masks" "$(yes "$cbm_mask" | head -n "$num_closids" | tr '\n' ' ' | sed 's/^/ /;s/ $//')" "$masks"
done
