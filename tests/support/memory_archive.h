// SPDX-License-Identifier: Apache-2.0
/* A checkpoint in memory: what one instance saves, another gets back. As strict as the host's: a key once, of the size
 * that was saved, and after a failure every call fails. */
#ifndef MEMORY_ARCHIVE_H
#define MEMORY_ARCHIVE_H

#include <billow/checkpoint.h>
#include <stdlib.h>
#include <string.h>

struct memory_entry {
    char key[64];
    void *data;
    size_t bytes;
    int taken;
};

struct memory_archive {
    struct bw_archive pub; ///< first
    struct memory_entry entry[256];
    int n, failed;
};

static inline struct memory_entry *memory_entry_find(struct memory_archive *m, const char *key)
{
    for (int i = 0; i < m->n; i++)
        if (!strcmp(m->entry[i].key, key)) return &m->entry[i];
    return NULL;
}

static inline enum bw_status memory_fail(struct memory_archive *m)
{
    m->failed = 1;
    return BW_ERR_IO;
}

static inline enum bw_status memory_bytes(struct bw_archive *a, const char *key, void *data, size_t bytes)
{
    struct memory_archive *m = a->host_data;
    struct memory_entry *e = memory_entry_find(m, key);
    if (m->failed) return BW_ERR_IO;
    if (a->restoring) {
        if (!e || e->taken || e->bytes != bytes) return memory_fail(m);
        e->taken = 1;
        if (bytes) memcpy(data, e->data, bytes);
        return BW_OK;
    }
    if (e || m->n == 256 || strlen(key) >= sizeof e->key) return memory_fail(m);
    e = &m->entry[m->n++];
    strcpy(e->key, key);
    e->bytes = bytes;
    e->data = calloc(1, bytes + 1);
    if (bytes) memcpy(e->data, data, bytes);
    return BW_OK;
}

static inline int64_t memory_stored(struct bw_archive *a, const char *key)
{
    const struct memory_entry *e = a->restoring ? memory_entry_find(a->host_data, key) : NULL;
    return e ? (int64_t)e->bytes : -1;
}

/// An empty one, to be saved to.
static inline void memory_archive_init(struct memory_archive *m)
{
    *m = (struct memory_archive){.pub = {.size = sizeof m->pub, .bytes = memory_bytes, .stored = memory_stored}};
    m->pub.host_data = m;
}

/// From now on it gives back; again from the beginning.
static inline void memory_archive_rewind(struct memory_archive *m)
{
    m->pub.restoring = 1;
    m->failed = 0;
    for (int i = 0; i < m->n; i++) m->entry[i].taken = 0;
}

/// Has everything that was saved been given back?
static inline int memory_archive_emptied(const struct memory_archive *m)
{
    int all = 1;
    for (int i = 0; i < m->n; i++) all &= m->entry[i].taken;
    return all;
}

static inline void memory_archive_free(struct memory_archive *m)
{
    for (int i = 0; i < m->n; i++) free(m->entry[i].data);
    m->n = 0;
}

#endif
