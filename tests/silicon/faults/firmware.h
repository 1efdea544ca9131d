/* Faults: what firmware left or tells, and processors that fail. One row a fault, see fault.c for the columns. */
FAULT(FAULT_MICROCODE_DIFFERS, "microcode-differs", "one package was left out of the microcode update", ANY, "XC-01",
      false, "package", 1)
FAULT(FAULT_PQR_LEFT_BY_FIRMWARE, "pqr-left-by-firmware", "firmware leaves its own RMID in every processor", RDT,
      "AS-01,RS-01", false, "RMID", 5)
