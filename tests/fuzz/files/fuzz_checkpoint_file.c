// SPDX-License-Identifier: Apache-2.0
/* A checkpoint's file of any bytes, read as it is, and with the checksums that its sections ought to have: else what
 * lies behind them would never be reached. */
#include "fuzz.h"
#include "fuzz_file.h"
#include "run/checkpoint/checkpoint.h"
#include "run/checkpoint/file.h"

#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAGIC_BYTES = 16, HEAD_BYTES = 32, PIECE = 4096 };

/* A head (docs/checkpoint.md): tag, bytes of the name, bytes, packed bytes, sum. Answers where the next one is, or n.
 * */
static size_t section_mend(uint8_t *file, size_t at, size_t n)
{
    uint32_t name;
    uint64_t packed;
    if (n - at < HEAD_BYTES) return n;
    memcpy(&name, file + at + 4, sizeof name);
    memcpy(&packed, file + at + 16, sizeof packed);
    const size_t left = n - at - HEAD_BYTES;
    if (name > left || packed > left - name) return n;
    XXH3_state_t *sum = XXH3_createState();
    if (!sum) return n;
    XXH3_64bits_reset(sum);
    XXH3_64bits_update(sum, file + at + 8, sizeof(uint64_t));
    XXH3_64bits_update(sum, file + at + HEAD_BYTES, name + packed);
    const uint64_t digest = XXH3_64bits_digest(sum);
    XXH3_freeState(sum);
    memcpy(file + at + 24, &digest, sizeof digest);
    return at + HEAD_BYTES + name + packed;
}

/* Each section to its end, a piece at a time: what it says it holds has to come, and never more. */
static void sections_read(const char *path, size_t n)
{
    static char piece[PIECE];
    struct bw_diag d = {0};
    struct checkpoint_reader *r = checkpoint_open(path, &d);
    const char *name;
    size_t bytes;
    int more = 0;
    while (r && (more = checkpoint_next(r, &name, &bytes, &d)) == 1) {
        if (!strlen(name) && !n) abort();
        if (bytes / 40000 > n) abort(); // nothing packs better
        bool good = true;
        for (size_t left = bytes, k = 0; left && good && k < 64; left -= left < PIECE ? left : PIECE, k++)
            good = checkpoint_read(r, piece, left < PIECE ? left : PIECE, &d);
        if (!good) break;
    }
    if ((!r || more < 0) && (!d.first || !d.status)) abort(); // refused without a word
    checkpoint_reader_free(r);
    bw_diag_free(&d);
}

static void file_try(const uint8_t *bytes, size_t n)
{
    struct bw_diag d = {0};
    const char *path = fuzz_file(bytes, n);
    if (!path) return;
    sections_read(path, n);
    char *about = checkpoint_about(path, &d);
    if (!about && (!d.first || !d.status)) abort();
    bw_free(about);
    bw_diag_free(&d);
    if (bw_alloc_live()) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t *file = malloc(n + 1);
    if (!file) return 0;
    memcpy(file, bytes, n);
    file_try(file, n);
    for (size_t at = MAGIC_BYTES; at < n;) at = section_mend(file, at, n);
    if (memcmp(file, bytes, n) != 0) file_try(file, n);
    free(file);
    return 0;
}
