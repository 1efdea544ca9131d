/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/metrics.h"

#define PERFMON(name) "intel/perfmon metrics: " name

#define MEMORY(metric, says, sum, from)                                                                                \
    {                                                                                                                  \
        .name = metric, .title = says, .unit = "bytes/s", .formula = sum, .by_box = true, .source = from               \
    }
#define IIO(mask) "4 * iio/0x83:" mask ":fc_mask=7:counters=3"

/* TOR_OCCUPANCY is TOR_INSERTS with another code: the same umask and filter, on counter 0 alone. */
#define OCCUPANCY_OF(inserts) inserts ":code=0x36:counters=1"

const struct metric metrics[] = {
    /* From Granite Rapids on each sub-channel has an event. */
    MEMORY("mem-read", "memory reads", "bytes( imc/cas_rd ) + bytes( imc/cas_rd_1 )", PERFMON("memory_bandwidth_read")),
    MEMORY("mem-read", "memory reads", "bytes( imc/cas_rd )", PERFMON("memory_bandwidth_read")),
    MEMORY("mem-read", "memory reads", "bytes( umc/cas_rd )", "Linux amd/uncore.c, UMC CAS commands"),
    MEMORY("mem-read", "memory reads", "bytes( uncore/cas_rd )", "intel/perfmon UNC_QMC_NORMAL_READS.ANY"),
    MEMORY("mem-write", "memory writes", "bytes( imc/cas_wr ) + bytes( imc/cas_wr_1 )",
           PERFMON("memory_bandwidth_write")),
    MEMORY("mem-write", "memory writes", "bytes( imc/cas_wr )", PERFMON("memory_bandwidth_write")),
    MEMORY("mem-write", "memory writes", "bytes( umc/cas_wr )", "Linux amd/uncore.c, UMC CAS commands"),
    MEMORY("mem-write", "memory writes", "bytes( uncore/cas_wr )", "intel/perfmon UNC_QMC_WRITES.FULL.ANY"),
    { .name = "mem-local",
      .title = "demand reads that miss the L3 and whose home is this package",
      .unit = "%",
      .formula = "100 * cha/tor_miss_local / ( cha/tor_miss_local + cha/tor_miss_remote )",
      .source = PERFMON("numa_reads_addressed_to_local_dram") },
    { .name = "mem-local",
      .title = "reads of the memory controller from this package",
      .unit = "%",
      .formula = "100 * uncore/reads_local / ( uncore/reads_local + uncore/reads_remote )",
      .source = "intel/perfmon UNC_QHL_REQUESTS.LOCAL_READS, .REMOTE_READS" },
    { .name = "mem-remote",
      .title = "demand reads that miss the L3 and whose home is another package",
      .unit = "%",
      .formula = "100 * cha/tor_miss_remote / ( cha/tor_miss_local + cha/tor_miss_remote )",
      .source = PERFMON("numa_reads_addressed_to_remote_dram") },
    { .name = "mem-remote",
      .title = "reads of the memory controller from other packages",
      .unit = "%",
      .formula = "100 * uncore/reads_remote / ( uncore/reads_local + uncore/reads_remote )",
      .source = "intel/perfmon UNC_QHL_REQUESTS.LOCAL_READS, .REMOTE_READS" },
    { .name = "llc-miss-latency",
      .title = "time that a demand read which misses the L3 stays in its table",
      .unit = "ns",
      .formula = "1e9 * " OCCUPANCY_OF("cha/tor_miss_drd") " / cha/tor_miss_drd / mean( cha/clock )",
      .source = PERFMON("llc_data_read_demand_plus_prefetch_miss_latency") },
    { .name = "rpq-latency",
      .title = "time that a read stays in a memory channel's queue",
      .unit = "ns",
      .formula = "1e9 * imc/rpq_occupancy / imc/rpq_inserts / mean( imc/clock )",
      .source = "E5-2600 uncore guide (327043-001) 2.5.6, RPQ_OCCUPANCY over RPQ_INSERTS" },
    { .name = "upi-out",
      .title = "data sent by links to other packages",
      .unit = "bytes/s",
      .formula = "bytes( upi/tx_data )",
      .by_box = true,
      .source = PERFMON("upi_data_transmit_bw, qpi_data_transmit_bw") },
    { .name = "upi-use",
      .title = "flits sent by links, of the most that they can send while awake",
      .unit = "%",
      /* Three slots a flit, five flits in six clocks, none in L1. */
      .formula = "100 * ( upi/tx_data + upi/0x2:0x97 ) / 3 / ( ( upi/clock - upi/0x21:0x0 ) * 5 / 6 )",
      .only = "UPI",
      .by_box = true,
      .source = "Intel EMON, UPI transmit utilization; intel/perfmon UNC_UPI_TxL_FLITS.ALL_DATA, .NON_DATA, "
                "UNC_UPI_CLOCKTICKS, UNC_UPI_L1_POWER_CYCLES" },
    /* Ports 0 to 3; 4 and 5 are VT-d there. */
    { .name = "iio-read",
      .title = "bytes that devices read",
      .unit = "bytes/s",
      .formula = IIO("0x04:ch_mask=0x0f"),
      .parts = "Skylake*",
      .by_box = true,
      .source = PERFMON("io_bandwidth_read") },
    { .name = "iio-read",
      .title = "bytes that devices read",
      .unit = "bytes/s",
      .formula = IIO("0x04:ch_mask=0xff"),
      .by_box = true,
      .source = PERFMON("iio_bandwidth_read") },
    { .name = "iio-write",
      .title = "bytes that devices write",
      .unit = "bytes/s",
      .formula = IIO("0x01:ch_mask=0x0f"),
      .parts = "Skylake*",
      .by_box = true,
      .source = PERFMON("io_bandwidth_write") },
    { .name = "iio-write",
      .title = "bytes that devices write",
      .unit = "bytes/s",
      .formula = IIO("0x01:ch_mask=0xff"),
      .by_box = true,
      .source = PERFMON("iio_bandwidth_write") },
};
const uint32_t n_metrics = sizeof metrics / sizeof *metrics;
