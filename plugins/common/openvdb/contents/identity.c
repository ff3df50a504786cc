// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static int is_id(const char *text) { return text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-'; }

/* In the form of a UUID of version 8 (RFC 9562), whose bits are its maker's own. */
static void id_print(XXH128_hash_t hash, char out[VDB_ID_LENGTH + 1])
{
    const unsigned long long hi = hash.high64, lo = hash.low64;
    snprintf(out, VDB_ID_LENGTH + 1, "%08llx-%04llx-8%03llx-%04llx-%012llx", hi >> 32, hi >> 16 & 0xffff, hi & 0xfff,
             (lo >> 48 & 0x3fff) | 0x8000, lo & 0xffffffffffff);
}

/* Of the whole file without its id. `head` gets what comes first. */
static int contents_hash(FILE *f, XXH3_state_t *state, char head[VDB_ID_AT + VDB_ID_LENGTH])
{
    char buffer[65536];
    size_t n = fread(head, 1, VDB_ID_AT + VDB_ID_LENGTH, f);
    if (n != VDB_ID_AT + VDB_ID_LENGTH || !is_id(head + VDB_ID_AT)) return ferror(f) ? errno : EPROTO;
    XXH3_128bits_update(state, head, VDB_ID_AT);
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) XXH3_128bits_update(state, buffer, n);
    return ferror(f) ? errno : 0;
}

/* What the id of an open file ought to be. 0, or an errno. */
static int id_make(FILE *f, char head[VDB_ID_AT + VDB_ID_LENGTH], char id[VDB_ID_LENGTH + 1])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) return ENOMEM;
    XXH3_128bits_reset(state);
    int bad = contents_hash(f, state, head);
    if (!bad) id_print(XXH3_128bits_digest(state), id);
    XXH3_freeState(state);
    return bad;
}

struct vdb_identity_maker *vdb_identity_begin(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state) XXH3_128bits_reset(state);
    return (struct vdb_identity_maker *)state;
}

void vdb_identity_add(struct vdb_identity_maker *m, const void *data, size_t bytes)
{
    XXH3_128bits_update((XXH3_state_t *)m, data, bytes);
}

void vdb_identity_end(struct vdb_identity_maker *m, char id[VDB_ID_LENGTH])
{
    char text[VDB_ID_LENGTH + 1];
    id_print(XXH3_128bits_digest((XXH3_state_t *)m), text);
    if (id) memcpy(id, text, VDB_ID_LENGTH);
    XXH3_freeState((XXH3_state_t *)m);
}

enum vdb_identity vdb_identity_check(const char *path)
{
    char head[VDB_ID_AT + VDB_ID_LENGTH] = "", id[VDB_ID_LENGTH + 1];
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe without a writer must not be waited for
    const int file = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
    // others' files are not read to their end for a sum that they do not have
    const int ours = file && pread(fd, head, sizeof head, 0) == sizeof head && head[VDB_ID_AT + 14] == '8';
    FILE *f = ours ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !f) close(fd);
    int bad = f ? id_make(f, head, id) : 1;
    if (f) fclose(f);
    if (bad) return VDB_IDENTITY_FOREIGN;
    return memcmp(head + VDB_ID_AT, id, VDB_ID_LENGTH) ? VDB_IDENTITY_DAMAGED : VDB_IDENTITY_GOOD;
}
