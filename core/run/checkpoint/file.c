// SPDX-License-Identifier: Apache-2.0
#include "file.h"
#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

static const char MAGIC[16] = "billow.ckpt/2\n\x1a"; /* the 0x1a: shown on a terminal, it ends there */
static const char END[] = "end";
static const int LEVEL = 1;                            /* floats hardly shrink further at any price */
enum { NAME_MAX_BYTES = 4096, UNPACKED_MOST = 32768 }; /* a byte of a zstd frame: four make a block of 128 KiB */

/* What precedes a section's name and its packed bytes. */
struct head {
    uint32_t tag, name_bytes;
    uint64_t bytes, packed;
    uint64_t sum; ///< XXH3 over `bytes`, the name and the packed bytes
};
static const uint32_t TAG = 0x54434553; /* "SECT" */

/* ---- writing ---- */

struct checkpoint_writer {
    FILE *f;
    ZSTD_CCtx *zstd;
    XXH3_state_t *sum;
    void *out;
    const void *(*block)(size_t piece, void *user);
    void *user;
    uint64_t sections;
    int failed; ///< errno
};

static bool write_fail(struct checkpoint_writer *w)
{
    if (!w->failed) w->failed = errno ? errno : EIO;
    errno = w->failed;
    return false;
}

struct checkpoint_writer *checkpoint_create(const char *path)
{
    struct checkpoint_writer *w = bw_calloc(sizeof *w);
    int fd = w ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
    if (fd >= 0 && !(w->f = fdopen(fd, "wb"))) close(fd);
    bool memory = false;
    if (w && w->f) {
        w->zstd = ZSTD_createCCtx();
        w->sum = XXH3_createState();
        w->out = bw_alloc_aligned(ZSTD_CStreamOutSize());
        memory = w->zstd && w->sum && w->out;
        if (!memory) errno = ENOMEM;
    }
    if (memory && fwrite(MAGIC, sizeof MAGIC, 1, w->f) == 1) return w;
    int why = errno;
    if (w && w->f) checkpoint_close(w);
    else bw_free(w);
    errno = why;
    return NULL;
}

/* One piece into the packer, `last`: and all that it holds back out. Answers bytes written, -1 after a failure. */
static int64_t piece_pack(struct checkpoint_writer *w, const void *data, size_t bytes, bool last)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    int64_t packed = 0;
    for (size_t left = 1; left;) {
        ZSTD_outBuffer out = {w->out, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) return errno = ENOMEM, -1;
        XXH3_64bits_update(w->sum, w->out, out.pos);
        if (out.pos && fwrite(w->out, out.pos, 1, w->f) != 1) return -1;
        packed += (int64_t)out.pos;
        if (!last && in.pos == in.size) left = 0;
    }
    return packed;
}

void checkpoint_set_source(struct checkpoint_writer *w, const void *(*block)(size_t piece, void *user), void *user)
{
    w->block = block;
    w->user = user;
}

/* Piece i of n, or, after the last one, what is held back. */
static int64_t piece_add(struct checkpoint_writer *w, const struct checkpoint_piece *piece, size_t i, size_t n)
{
    if (i == n) return piece_pack(w, NULL, 0, true);
    const void *data = piece[i].data || !piece[i].bytes ? piece[i].data : w->block(i, w->user);
    return data || !piece[i].bytes ? piece_pack(w, data, piece[i].bytes, false) : -1;
}

bool checkpoint_add(struct checkpoint_writer *w, const char *name, const struct checkpoint_piece *piece, size_t n)
{
    if (w->failed) return write_fail(w);
    struct head h = {.tag = TAG, .name_bytes = (uint32_t)strlen(name)};
    errno = 0;
    off_t at = ftello(w->f);
    for (size_t i = 0; i < n; i++) h.bytes += piece[i].bytes;
    if (fwrite(&h, sizeof h, 1, w->f) != 1 || fwrite(name, h.name_bytes, 1, w->f) != 1) return write_fail(w);
    XXH3_64bits_reset(w->sum);
    XXH3_64bits_update(w->sum, &h.bytes, sizeof h.bytes);
    XXH3_64bits_update(w->sum, name, h.name_bytes);
    ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    for (size_t i = 0; i <= n; i++) {
        const int64_t packed = piece_add(w, piece, i, n);
        if (packed < 0) return write_fail(w);
        h.packed += (uint64_t)packed;
    }
    h.sum = XXH3_64bits_digest(w->sum);
    w->sections++;
    bool good = !fseeko(w->f, at, SEEK_SET) && fwrite(&h, sizeof h, 1, w->f) == 1 && !fseeko(w->f, 0, SEEK_END);
    return good || write_fail(w);
}

bool checkpoint_close(struct checkpoint_writer *w)
{
    struct checkpoint_piece count = {&w->sections, sizeof w->sections};
    bool good = w->zstd && w->sum && w->out && checkpoint_add(w, END, &count, 1);
    if (fclose(w->f)) good = write_fail(w);
    int why = errno;
    ZSTD_freeCCtx(w->zstd);
    XXH3_freeState(w->sum);
    bw_free(w->out);
    bw_free(w);
    errno = why;
    return good;
}

/* ---- reading ---- */

struct checkpoint_reader {
    FILE *f;
    char *path;
    int64_t left; ///< bytes of the file behind what was read
    char name[NAME_MAX_BYTES + 1];
    void *packed; ///< the present section's
    size_t bytes; ///< of it, not yet unpacked
    ZSTD_inBuffer in;
    ZSTD_DCtx *zstd;
    uint64_t sections;
};

static int read_fail(const struct checkpoint_reader *r, struct bw_diag *d, const char *what)
{
    bw_diag_error(d, BW_NAMED(r->path), BW_ERR_IO, "%s: %s", r->path, what);
    return -1;
}

void checkpoint_reader_free(struct checkpoint_reader *r)
{
    if (!r) return;
    if (r->f) fclose(r->f);
    ZSTD_freeDCtx(r->zstd);
    bw_free(r->packed);
    bw_free(r->path);
    bw_free(r);
}

static bool bytes_take(struct checkpoint_reader *r, void *to, size_t bytes)
{
    if (r->left < 0 || bytes > (uint64_t)r->left || (bytes && fread(to, bytes, 1, r->f) != 1)) return false;
    r->left -= (int64_t)bytes;
    return true;
}

struct checkpoint_reader *checkpoint_open(const char *path, struct bw_diag *d)
{
    struct checkpoint_reader *r = bw_calloc(sizeof *r);
    struct stat st;
    char magic[sizeof MAGIC];
    if (r) r->path = bw_strdup(path), r->zstd = ZSTD_createDCtx();
    if (!r || !r->path || !r->zstd) {
        bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a checkpoint");
        return checkpoint_reader_free(r), NULL;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) close(fd), fd = -1, errno = EINVAL;
    if (fd < 0 || !(r->f = fdopen(fd, "rb"))) {
        read_fail(r, d, strerror(errno));
        if (fd >= 0) close(fd);
        return checkpoint_reader_free(r), NULL;
    }
    r->left = st.st_size;
    if (bytes_take(r, magic, sizeof magic) && !memcmp(magic, MAGIC, sizeof MAGIC)) return r;
    read_fail(r, d, "is no checkpoint of this format (billow.checkpoint/2)");
    return checkpoint_reader_free(r), NULL;
}

static bool section_whole(const struct checkpoint_reader *r, const struct head *h)
{
    XXH3_state_t *sum = XXH3_createState();
    if (!sum) return false;
    XXH3_64bits_reset(sum);
    XXH3_64bits_update(sum, &h->bytes, sizeof h->bytes);
    XXH3_64bits_update(sum, r->name, h->name_bytes);
    XXH3_64bits_update(sum, r->packed, h->packed);
    bool good = XXH3_64bits_digest(sum) == h->sum;
    XXH3_freeState(sum);
    return good;
}

static int end_check(struct checkpoint_reader *r, struct bw_diag *d)
{
    uint64_t count = 0;
    if (!checkpoint_read(r, &count, sizeof count, d)) return -1;
    if (count != r->sections || r->left) return read_fail(r, d, "is damaged: its end does not fit what came before");
    return 0;
}

int checkpoint_next(struct checkpoint_reader *r, const char **name, size_t *bytes, struct bw_diag *d)
{
    struct head h;
    bw_free(r->packed);
    r->packed = NULL;
    if (!bytes_take(r, &h, sizeof h)) return read_fail(r, d, "is cut off");
    if (h.tag != TAG || h.name_bytes > NAME_MAX_BYTES) return read_fail(r, d, "is damaged between two sections");
    if (!bytes_take(r, r->name, h.name_bytes) || r->left < 0 || h.packed > (uint64_t)r->left)
        return read_fail(r, d, "is cut off");
    r->name[h.name_bytes] = 0;
    if (h.bytes / UNPACKED_MOST > h.packed) return read_fail(r, d, "has a section that promises more than it can hold");
    if (!(r->packed = bw_calloc(h.packed + 1)) && h.packed) {
        bw_diag_error(d, NULL, BW_ERR_MEMORY, "%s: out of memory for its section %s", r->path, r->name);
        return -1;
    }
    if (!bytes_take(r, r->packed, h.packed)) return read_fail(r, d, "is cut off");
    if (!section_whole(r, &h)) return read_fail(r, d, "is damaged: a checksum is wrong");
    ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
    r->in = (ZSTD_inBuffer){r->packed, h.packed, 0};
    *name = r->name;
    *bytes = r->bytes = h.bytes;
    if (!strcmp(r->name, END)) return end_check(r, d);
    r->sections++;
    return 1;
}

bool checkpoint_read(struct checkpoint_reader *r, void *data, size_t bytes, struct bw_diag *d)
{
    ZSTD_outBuffer out = {data, bytes, 0};
    if (bytes > r->bytes) return read_fail(r, d, "has a section that is too short"), false;
    while (out.pos < out.size) {
        size_t before = out.pos, left = ZSTD_decompressStream(r->zstd, &out, &r->in);
        if (ZSTD_isError(left)) return read_fail(r, d, "is damaged: a section can't be unpacked"), false;
        if (out.pos == before && r->in.pos == r->in.size)
            return read_fail(r, d, "has a section that is too short"), false;
    }
    r->bytes -= bytes;
    return true;
}
