/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/files/send.h: -out: the report goes to a server by firmware's network (core/net/upload.h on efi/net/net.h). */
#pragma once
#include <efi.h>
#include <stdbool.h>

#include "core/net/upload.h"
#include "core/options/options.h"
#include "core/platform/platform.h"
#include "core/report/report.h"

/* The report will go to o->out as the run of this name. Nothing is sent yet; what is wrong is on the console. Without o->out nothing happens. */
void send_begin(struct upload *u, EFI_SYSTEM_TABLE *st, const struct platform *p, const struct options *o,
                const char *run);
/* Whether -out was given, and holds. */
bool send_is_on(const struct upload *u);
/* The run was begun by an earlier boot: upload_go_on(), and a word on the console. */
void send_go_on(struct upload *u, const struct upload_mark *m);
/* Between two checks: what is complete goes out, and interfaces are silent afterwards. Where the run is inside of firmware's call (a blocking
 * StartupAllAPs), everything waits for the end. */
void send_between(struct upload *u);
/* Before the last lines: what the network moved until now, to the report. */
void send_report(const struct upload *u, struct report *r);
/* After the last line: the whole report. Where the server does not take it, the console says why; and where no medium has it either
 * (`on_medium` false), it is offered for SEND_SECONDS: R tries the server again, S shows the stream for a serial capture
 * (core/encoding/wire.h), W writes it to a volume labelled ASSAY. false: it is not on the server. */
#define SEND_SECONDS 30u
bool send_end(struct upload *u, bool on_medium);
