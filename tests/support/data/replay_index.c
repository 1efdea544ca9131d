/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Folders of recordings, and their index.tsv. */
#include "tests/support/data/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/data/tsv.h"

#ifndef ASSAY_ROOT
#define ASSAY_ROOT "."
#endif

const char *replay_folder(enum replay_folder which)
{
    static const char *const in_tree[] = {
        [REPLAY_FIXTURES] = "cpuid",         [REPLAY_TOPOLOGY] = "machines/cpuid", [REPLAY_ACPI] = "machines/acpi",
        [REPLAY_SMBIOS] = "machines/smbios", [REPLAY_PCI] = "machines/pci",
    };
    static char folder[sizeof in_tree / sizeof in_tree[0]][512];
    const char *chosen = getenv("ASSAY_CPUID_DATA");
    char index[600];
    FILE *f;

    if (which != REPLAY_COLLECTION)
        snprintf(folder[which], sizeof folder[which], "%s/tests/fixtures/%s", ASSAY_ROOT, in_tree[which]);
    else if (chosen)
        snprintf(folder[which], sizeof folder[which], "%s", chosen);
    else
        return "";
    snprintf(index, sizeof index, "%s/index.tsv", folder[which]);
    f = fopen(index, "r");
    if (!f) {
        fprintf(stderr, "replay: no %s\n", index);
        return "";
    }
    fclose(f);
    return folder[which];
}

struct replay_index {
    char folder[512];
    struct tsv *table;
};

struct replay_index *replay_index_open(const char *folder)
{
    struct replay_index *x = calloc(1, sizeof *x);
    char path[600];

    snprintf(path, sizeof path, "%s/index.tsv", folder);
    snprintf(x->folder, sizeof x->folder, "%s", folder);
    x->table = tsv_open(path);
    return x;
}

void replay_index_free(struct replay_index *x)
{
    if (!x)
        return;
    tsv_free(x->table);
    free(x);
}

uint32_t replay_index_rows(const struct replay_index *x)
{
    return tsv_rows(x->table);
}

const char *replay_index_get(const struct replay_index *x, uint32_t row, const char *column)
{
    return tsv_get(x->table, row, column);
}

struct replay *replay_index_open_row(const struct replay_index *x, uint32_t row)
{
    const char *machine = replay_index_get(x, row, "machine");
    char path[1200];

    snprintf(path, sizeof path, "%s/%s%s", x->folder, machine ? machine : replay_index_get(x, row, "file"),
             machine ? ".machine" : "");
    return replay_open(path);
}
