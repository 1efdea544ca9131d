/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/count/metrics.h"
#include "core/base/braced.h"

#define PERFMON(name) "intel/perfmon metrics: " name

#define MEMORY(metric, says, sum, from)                                                                                \
    BRACED(.name = metric, .title = says, .unit = "bytes/s", .formula = sum, .by_box = true, .source = from)
#define IIO(mask) "4 * iio/0x83:" mask ":fc_mask=7:counters=3"
/* thresh 1: clocks in which the event adds anything. */
#define IIO_USE(mask) "100 * iio/0x83:" mask ":fc_mask=7:counters=3:thresh=1 / iio/clock"
#define IIO_SOURCE    "intel/perfmon UNC_IIO_DATA_REQ_OF_CPU, UNC_IIO_CLOCKTICKS; 327043-001 2.1, thresh"

/* Data reads that miss the L3, by their home: TOR_INSERTS.MISS_LOCAL_OPCODE and .MISS_REMOTE_OPCODE of opcode DRd (182H);
 * from Ice Lake-SP on IA_MISS_DRD (E-cores: _DRD_OPT) and its prefetches, _PREF, by home. */
#define HOMES(of_parts, local, remote)                                                                                 \
    BRACED(.name = "mem-local", .title = "data reads that miss the L3 and whose home is this package", .unit = "%",    \
           .formula = "100 * ( " local " ) / ( " local " + " remote " )", .parts = of_parts,                           \
           .source = PERFMON("numa_reads_addressed_to_local_dram")),                                                   \
        BRACED(.name = "mem-remote", .title = "data reads that miss the L3 and whose home is another package",         \
               .unit = "%", .formula = "100 * ( " remote " ) / ( " local " + " remote " )", .parts = of_parts,         \
               .source = PERFMON("numa_reads_addressed_to_remote_dram"))
#define V2_READS(umask)             V3_READS(umask) ":counters=0x3"
#define V3_READS(umask)             "cbo/0x35:" umask ":filter1=0x18200000"
#define CHA_READS(demand, prefetch) "cha/0x35:0x01:0xc8" demand " + cha/0x35:0x01:0xc8" prefetch

/* TOR_OCCUPANCY is TOR_INSERTS with another code: the same umask and filter, on counter 0 alone. */
#define OCCUPANCY_OF(inserts) inserts ":code=0x36:counters=1"

#define LATENCY(inserts) "1e9 * " OCCUPANCY_OF(inserts) " / " inserts " / mean( cha/clock )"
/* Demand reads by their home. */
#define LATENCY_BY_HOME(of_parts, local, remote)                                                                       \
    BRACED(.name = "llc-miss-latency-local",                                                                           \
           .title = "time that a demand read which misses the L3 stays in its table, of this package's memory",        \
           .unit = "ns", .formula = LATENCY(local), .parts = of_parts,                                                 \
           .source = PERFMON("llc_data_read_demand_plus_prefetch_miss_latency_for_local_requests")),                   \
        BRACED(.name = "llc-miss-latency-remote",                                                                      \
               .title = "time that a demand read which misses the L3 stays in its table, of other packages' memory",   \
               .unit = "ns", .formula = LATENCY(remote), .parts = of_parts,                                            \
               .source = PERFMON("llc_data_read_demand_plus_prefetch_miss_latency_for_remote_requests"))

const struct metric metrics[] = {
    /* From Granite Rapids on each sub-channel has an event. */
    MEMORY("mem-read", "memory reads", "bytes( imc/cas_rd ) + bytes( imc/cas_rd_1 )", PERFMON("memory_bandwidth_read")),
    MEMORY("mem-read", "memory reads", "bytes( imc/cas_rd )", PERFMON("memory_bandwidth_read")),
    MEMORY("mem-read", "memory reads", "bytes( umc/cas_rd )", "Linux amd/uncore.c, UMC CAS commands"),
    MEMORY("mem-read", "memory reads", "bytes( mc/ddr_rd )", "Linux uncore_snb.c, data_reads"),
    MEMORY("mem-read", "memory reads", "bytes( uncore/cas_rd )", "intel/perfmon UNC_QMC_NORMAL_READS.ANY"),
    MEMORY("mem-write", "memory writes", "bytes( imc/cas_wr ) + bytes( imc/cas_wr_1 )",
           PERFMON("memory_bandwidth_write")),
    MEMORY("mem-write", "memory writes", "bytes( imc/cas_wr )", PERFMON("memory_bandwidth_write")),
    MEMORY("mem-write", "memory writes", "bytes( umc/cas_wr )", "Linux amd/uncore.c, UMC CAS commands"),
    MEMORY("mem-write", "memory writes", "bytes( mc/ddr_wr )", "Linux uncore_snb.c, data_writes"),
    MEMORY("mem-write", "memory writes", "bytes( uncore/cas_wr )", "intel/perfmon UNC_QMC_WRITES.FULL.ANY"),
    MEMORY("mem-total", "memory reads and writes",
           "bytes( imc/cas_rd ) + bytes( imc/cas_wr ) + bytes( imc/cas_rd_1 ) + bytes( imc/cas_wr_1 )",
           PERFMON("memory_bandwidth_total")),
    MEMORY("mem-total", "memory reads and writes", "bytes( imc/cas_rd ) + bytes( imc/cas_wr )",
           PERFMON("memory_bandwidth_total")),
    MEMORY("mem-total", "memory reads and writes", "bytes( umc/cas_rd ) + bytes( umc/cas_wr )",
           "Linux amd/uncore.c, UMC CAS commands"),
    MEMORY("mem-total", "memory reads and writes", "bytes( mc/ddr_rd ) + bytes( mc/ddr_wr )",
           "Linux uncore_snb.c, data_reads and data_writes"),
    MEMORY("hbm-read", "reads of the memory in the package", "bytes( hbm/cas_rd )",
           "intel/perfmon UNC_MCHBM_CAS_COUNT.RD"),
    MEMORY("hbm-write", "writes of the memory in the package", "bytes( hbm/cas_wr )",
           "intel/perfmon UNC_MCHBM_CAS_COUNT.WR"),
    HOMES("Ivy*", V2_READS("0x23"), V2_READS("0x83")),
    HOMES("Haswell*", V3_READS("0x23"), V3_READS("0x83")),
    HOMES("Broadwell*", V3_READS("0x23"), V3_READS("0x83")),
    HOMES("Skylake*", "cha/0x35:0x21:filter1=0x40432", "cha/0x35:0x21:filter1=0x40431"),
    HOMES("Ice*", CHA_READS("16fe", "96fe"), CHA_READS("177e", "977e")),
    HOMES("*Rapids", CHA_READS("16fe", "96fe"), CHA_READS("177e", "977e")),
    HOMES("*Forest", CHA_READS("26fe", "a6fe"), CHA_READS("277e", "a77e")),
    { .name = "mem-local",
      .title = "reads of the memory controller from this package",
      .unit = "%",
      .formula = "100 * uncore/reads_local / ( uncore/reads_local + uncore/reads_remote )",
      .source = "intel/perfmon UNC_QHL_REQUESTS.LOCAL_READS, .REMOTE_READS" },
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
    LATENCY_BY_HOME("Skylake*", "cha/0x35:0x21:filter1=0x40432", "cha/0x35:0x21:filter1=0x40431"),
    LATENCY_BY_HOME("Ice*", "cha/tor_miss_local", "cha/tor_miss_remote"),
    LATENCY_BY_HOME("*Rapids", "cha/tor_miss_local", "cha/tor_miss_remote"),
    LATENCY_BY_HOME("*Forest", "cha/tor_miss_local", "cha/tor_miss_remote"),
    { .name = "uncore-clock",
      .title = "rate of the clock of the L3's slices",
      .unit = "GHz",
      .formula = "mean( cha/clock ) / 1e9",
      .source = PERFMON("uncore_frequency") },
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
    { .name = "upi-in",
      .title = "data received by links from other packages",
      .unit = "bytes/s",
      .formula = "bytes( upi/rx_data )",
      .by_box = true,
      .source = "intel/perfmon UNC_UPI_RxL_FLITS.ALL_DATA, UNC_Q_RxL_FLITS_G1.DRS_DATA" },
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
    { .name = "iio-read-use",
      .title = "clocks of a stack in which devices read data",
      .unit = "%",
      .formula = IIO_USE("0x04:ch_mask=0x0f"),
      .parts = "Skylake*",
      .by_box = true,
      .source = IIO_SOURCE },
    { .name = "iio-read-use",
      .title = "clocks of a stack in which devices read data",
      .unit = "%",
      .formula = IIO_USE("0x04:ch_mask=0xff"),
      .by_box = true,
      .source = IIO_SOURCE },
    { .name = "iio-write-use",
      .title = "clocks of a stack in which devices write data",
      .unit = "%",
      .formula = IIO_USE("0x01:ch_mask=0x0f"),
      .parts = "Skylake*",
      .by_box = true,
      .source = IIO_SOURCE },
    { .name = "iio-write-use",
      .title = "clocks of a stack in which devices write data",
      .unit = "%",
      .formula = IIO_USE("0x01:ch_mask=0xff"),
      .by_box = true,
      .source = IIO_SOURCE },
};
const uint32_t n_metrics = sizeof metrics / sizeof *metrics;
