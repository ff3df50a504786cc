// SPDX-License-Identifier: Apache-2.0
/* --set of any bytes, a line each, onto a good preset. */
#include "fuzz.h"
#include "preset/preset.h"

#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = 16 };

static const char good[] = "billow: 1\n"
                           "domain: {cells: [32, 16, 8], voxel: 1 cm, sides: {top: closed}}\n"
                           "time: {fps: 25, frames: 1-6}\n"
                           "fields: {dye: {kind: vector}}\n"
                           "stages:\n"
                           "  - emit: {shape: {sphere: {center: [0, 0, 1]}}, density: {keys: {1: 0, 3: 1}}}\n"
                           "  - mac.forces: {id: lift.off, buoyancy: 1, bind: {density: dye}}\n"
                           "  - mac.project\n"
                           "export:\n"
                           "  - vdb: {fields: [density, vel]}\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *set[SETS_MAX];
    struct bw_diag d = {0};
    struct bw_preset_overrides o = {.text = good, .set = set};
    char *text = malloc(n + 1), *save = NULL;
    if (!text) return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    for (char *s = strtok_r(text, "\n", &save); s && o.n_set < SETS_MAX; s = strtok_r(NULL, "\n", &save))
        set[o.n_set++] = s;
    struct bw_preset *p = bw_preset_load("fuzz.yaml", &o, &d);
    if (!p && (!d.first || !d.status)) abort(); // refused without a word
    bw_preset_free(p);
    bw_diag_free(&d);
    free(text);
    if (bw_alloc_live()) abort();
    return 0;
}
