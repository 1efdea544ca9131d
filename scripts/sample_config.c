/* scripts/sample_config.c: prints the assay.cfg that goes onto the stick, from the same text that the payload knows. */
#include <stdio.h>

#include "core/options.h"

int main(void)
{
    return fputs(options_sample_file, stdout) < 0;
}
