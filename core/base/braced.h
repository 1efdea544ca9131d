/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/braced.h: what a macro gives for a row of a table or a struct. */
#pragma once

#define BRACED(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
