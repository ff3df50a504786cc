// SPDX-License-Identifier: Apache-2.0
#include "archive.h"
#include "base/alloc.h"
#include <string.h>

static struct archive *archive_of(struct bw_archive *a) { return a->host_data; }

static enum bw_status archive_fail(struct archive *a, enum bw_status status, const char *key, const char *what)
{
    if (a->failed == BW_OK)
        a->failed = log_fail(a->log, a->place, status, "checkpoint: %s/%s: %s", a->owner, key, what);
    return a->failed;
}

const struct archive_entry *archive_find(const struct archive *a, const char *key)
{
    int32_t i = bw_names_get(&a->index, key);
    return i < 0 ? NULL : &a->entry[i];
}

enum bw_status archive_put(struct archive *a, const char *key, void *data, size_t bytes)
{
    if (a->n == a->room) {
        struct archive_entry *grown = bw_realloc(a->entry, (size_t)(2 * a->room + 16) * sizeof *grown);
        if (grown) a->entry = grown, a->room = 2 * a->room + 16;
    }
    char *name = a->n < a->room ? bw_strdup(key) : NULL;
    if (!name || bw_names_put(&a->index, name, a->n)) return bw_free(name), bw_free(data), BW_ERR_MEMORY;
    a->entry[a->n++] = (struct archive_entry){name, data, bytes};
    return BW_OK;
}

static enum bw_status value_save(struct archive *a, const char *whole, const char *key, const void *data, size_t bytes)
{
    if (archive_find(a, whole)) return archive_fail(a, BW_ERR_PLUGIN, key, "this key is there twice");
    void *copy = bw_calloc(bytes + 1);
    if (copy && bytes) memcpy(copy, data, bytes);
    if (!copy || archive_put(a, whole, copy, bytes)) return archive_fail(a, BW_ERR_MEMORY, key, "out of memory");
    return BW_OK;
}

static enum bw_status value_restore(struct archive *a, const char *whole, const char *key, void *data, size_t bytes)
{
    const struct archive_entry *e = archive_find(a, whole);
    if (!e) return archive_fail(a, BW_ERR_IO, key, "is not there");
    if (e->bytes != bytes) return archive_fail(a, BW_ERR_IO, key, "has another size");
    if (bytes) memcpy(data, e->data, bytes);
    return BW_OK;
}

static enum bw_status archive_bytes(struct bw_archive *pub, const char *key, void *data, size_t bytes)
{
    struct archive *a = archive_of(pub);
    if (a->failed != BW_OK) return a->failed;
    if (!key || !*key || (bytes && !data)) return archive_fail(a, BW_ERR_PLUGIN, key ? key : "", "no key or no memory");
    char *whole = bw_printf("%s/%s", a->owner, key);
    if (!whole) return archive_fail(a, BW_ERR_MEMORY, key, "out of memory");
    enum bw_status status =
        pub->restoring ? value_restore(a, whole, key, data, bytes) : value_save(a, whole, key, data, bytes);
    bw_free(whole);
    return status;
}

static int64_t archive_stored(struct bw_archive *pub, const char *key)
{
    struct archive *a = archive_of(pub);
    char *whole = pub->restoring && key ? bw_printf("%s/%s", a->owner, key) : NULL;
    const struct archive_entry *e = whole ? archive_find(a, whole) : NULL;
    bw_free(whole);
    return e ? (int64_t)e->bytes : -1;
}

void archive_init(struct archive *a, struct run_log *log, bool restoring)
{
    *a = (struct archive){.pub = {.size = sizeof a->pub,
                                  .restoring = restoring,
                                  .bytes = archive_bytes,
                                  .stored = archive_stored,
                                  .host_data = a},
                          .log = log,
                          .owner = ""};
}

void archive_owner(struct archive *a, const char *owner, const struct bw_place *place)
{
    a->owner = owner;
    a->place = place;
    a->failed = BW_OK;
}

enum bw_status archive_member(struct archive *a, const char *owner, const char *type, bool *there)
{
    const size_t bytes = strlen(type);
    char *key = bw_printf("type/%s", owner), *copy = bw_strdup(type);
    const struct archive_entry *e = key ? archive_find(a, key) : NULL;
    enum bw_status status = key && copy ? BW_OK : BW_ERR_MEMORY;
    if (status == BW_OK && !a->pub.restoring) status = archive_put(a, key, copy, bytes), copy = NULL;
    *there = !a->changed || (e && e->bytes == bytes && !memcmp(e->data, type, bytes));
    bw_free(key);
    bw_free(copy);
    return status == BW_OK ? BW_OK : log_fail(a->log, NULL, status, "out of memory for a checkpoint");
}

void archive_free(struct archive *a)
{
    for (int32_t i = 0; i < a->n; i++) {
        bw_free(a->entry[i].key);
        bw_free(a->entry[i].data);
    }
    bw_free(a->entry);
    bw_names_free(&a->index);
    a->entry = NULL;
    a->n = a->room = 0;
}
