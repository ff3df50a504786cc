// SPDX-License-Identifier: Apache-2.0
/* A camera out of any text: a shot whose numbers are numbers, or a sentence. */
#include "fuzz.h"
#include "fuzz_file.h"

#include "base/alloc.h"
#include "preset/outside/usda.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct bw_diag d = {0};
    struct usda_shot shot;
    if (!path) return 0;
    const enum bw_status status = usda_camera(path, NULL, NULL, &shot, &d);
    assert((status == BW_OK) == (d.status == BW_OK) && (status == BW_OK) == (shot.key != NULL));
    for (int32_t i = 0; i < shot.n && shot.key; i++) {
        const struct usda_key *k = &shot.key[i];
        assert(k->lens > 0 && k->sensor > 0 && isfinite(k->lens + k->sensor + k->focus + k->fstop));
        for (int a = 0; a < 3; a++) assert(isfinite(k->eye[a] + k->forward[a] + k->up[a]));
        assert(!i || k->code > k[-1].code);
    }
    bw_free(shot.key);
    bw_diag_free(&d);
    assert(!bw_alloc_live());
    return 0;
}
