/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/store/page_file.h: report.html as a file. */
#pragma once
#include "core/store/files.h"

/* core/page with all that `stream` holds inside, as gzip in base64; as it is where there is no memory to compress it. The first failure
 * of either file. */
MUST_CHECK enum status page_write(struct file *page, struct file *stream);
