/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/image/sbat.S: the section that shim reads for revocation by generation (shim project, SBAT.md). Firmware ignores it. */
.section .sbat, "a", @progbits
    .ascii "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
    .ascii "assay,1,Assay,assay,1,-\n"
.section .note.GNU-stack, "", @progbits
