/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/sample_config.c: texts for the stick, from those that the payload has.
 *
 *   sample-config              the assay.cfg
 *   sample-config man NAME     what the UEFI shell shows for `NAME -?`: a manual page, to stand as NAME.man beside
 * NAME.efi (UEFI Shell 2.2 appendix B, "UEFI Help Manual Page Syntax"). The shell takes `-?` away before Assay could
 * see it.
 */
#include <stdio.h>
#include <string.h>

#include "core/options/options.h"

int main(int argc, char **argv)
{
    const char *rest = strstr(options_help, "\n\n"); /* the first line names the program, as the sections here do */

    if (argc == 1)
        return fputs(options_sample_file, stdout) < 0;
    if (argc != 3 || strcmp(argv[1], "man") != 0 || !rest) {
        fprintf(stderr, "usage: sample-config [man NAME]\n");
        return 2;
    }
    return printf(".TH %s 0 \"validates the shared-resource monitors of this machine\"\n"
                  ".SH NAME\nAssay: validates the shared-resource monitors of this machine.\n \n"
                  ".SH SYNOPSIS\n%s [options]\n"
                  ".SH OPTIONS\n%s",
                  argv[2], argv[2], rest + 2) < 0;
}
