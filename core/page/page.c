/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/page/page.h"

#include "core/encoding/base64.h"

void page_put_rest(struct base64 *text)
{
    text->put(text->context, page_middle, (size_t)(page_middle_end - page_middle));
    base64_add(text, page_script, (size_t)(page_script_end - page_script));
    base64_end(text);
    text->put(text->context, page_tail, (size_t)(page_tail_end - page_tail));
}
