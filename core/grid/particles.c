// SPDX-License-Identifier: Apache-2.0
/* Particles as a structure of arrays. Sorted by tile and id, so that a tile can gather from its own particles and its
 * neighbours' in an order that depends on nothing but the particles. */
#include "grid.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>

#define MAX_ATTRIBUTES 24

struct bw_particles {
    char *name;
    int64_t count, capacity, next_id;
    uint32_t n_attributes;
    struct bw_attribute attribute[MAX_ATTRIBUTES];
    char *data[MAX_ATTRIBUTES];
    /* after a sort: the tiles that hold particles, and where each tile's begin */
    int32_t (*tile)[3];
    int64_t *begin;
    int64_t n_tiles;
};

static size_t value_size(const struct bw_attribute *a) { return (a->precision == BW_F32 ? 4u : 8u) * a->comps; }

struct bw_particles *bw_particles_create(const char *name)
{
    struct bw_particles *p = bw_calloc(sizeof *p);
    if (!p) return NULL;
    p->name = bw_strdup(name);
    struct bw_attribute id = {"id", BW_I64, 1, ""};
    if (p->name && bw_particles_declare(p, &id) == BW_OK) return p;
    bw_particles_destroy(p);
    return NULL;
}

const char *bw_particles_name(const struct bw_particles *p) { return p->name; }

static void sort_forget(struct bw_particles *p)
{
    bw_free(p->tile);
    bw_free(p->begin);
    p->tile = NULL;
    p->begin = NULL;
    p->n_tiles = 0;
}

void bw_particles_destroy(struct bw_particles *p)
{
    if (!p) return;
    sort_forget(p);
    for (uint32_t i = 0; i < p->n_attributes; i++) bw_free(p->data[i]);
    bw_free(p->name);
    bw_free(p);
}

static int find_attribute(const struct bw_particles *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_attributes; i++)
        if (!strcmp(p->attribute[i].name, name)) return (int)i;
    return -1;
}

enum bw_status bw_particles_declare(struct bw_particles *p, const struct bw_attribute *a)
{
    int i = find_attribute(p, a->name);
    if (i >= 0)
        return p->attribute[i].precision == a->precision && p->attribute[i].comps == a->comps ? BW_OK : BW_ERR_PRESET;
    if (p->n_attributes == MAX_ATTRIBUTES) return BW_ERR_LIMIT;
    char *data = bw_calloc((size_t)(p->capacity + 1) * value_size(a));
    if (!data) return BW_ERR_MEMORY;
    p->attribute[p->n_attributes] = *a;
    p->data[p->n_attributes++] = data;
    return BW_OK;
}

bool bw_particles_has(const struct bw_particles *p, const struct bw_attribute *a)
{
    int i = find_attribute(p, a->name);
    return i >= 0 && p->attribute[i].precision == a->precision && p->attribute[i].comps == a->comps;
}

uint32_t bw_particles_attributes(const struct bw_particles *p, struct bw_attribute *out)
{
    if (out) memcpy(out, p->attribute, p->n_attributes * sizeof *out);
    return p->n_attributes;
}

int64_t bw_particles_first_nonfinite(const struct bw_particles *p, const char **attribute)
{
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        uint32_t comps = p->attribute[a].comps, precision = p->attribute[a].precision;
        for (int64_t i = 0; precision != BW_I64 && i < p->count * comps; i++) {
            if (isfinite(precision == BW_F32 ? (double)((const float *)p->data[a])[i]
                                             : ((const double *)p->data[a])[i]))
                continue;
            *attribute = p->attribute[a].name;
            return ((const int64_t *)p->data[0])[i / comps];
        }
    }
    return -1;
}

static int64_t particles_count(const struct bw_particles *p) { return p->count; }

static void *particles_attribute(struct bw_particles *p, const char *name)
{
    int i = find_attribute(p, name);
    return i < 0 ? NULL : p->data[i];
}

static enum bw_status particles_add(struct bw_particles *p, int64_t n, int64_t *first)
{
    if (n < 0) return BW_ERR_USAGE;
    if (n > (int64_t)1 << 40) return BW_ERR_MEMORY; /* far beyond any machine, and the sums below stay exact */
    if (p->count + n > p->capacity) {
        int64_t cap = p->count + n + p->count / 2 + 64;
        for (uint32_t i = 0; i < p->n_attributes; i++) {
            char *m = bw_realloc(p->data[i], (size_t)cap * value_size(&p->attribute[i]));
            if (!m) return BW_ERR_MEMORY;
            p->data[i] = m;
        }
        p->capacity = cap;
    }
    for (uint32_t i = 0; i < p->n_attributes; i++) {
        size_t size = value_size(&p->attribute[i]);
        memset(p->data[i] + (size_t)p->count * size, 0, (size_t)n * size);
    }
    int64_t *id = (int64_t *)p->data[0];
    for (int64_t i = 0; i < n; i++) id[p->count + i] = p->next_id++;
    if (first) *first = p->count;
    p->count += n;
    sort_forget(p);
    return BW_OK;
}

static void particles_remove(struct bw_particles *p, const uint8_t *drop)
{
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        size_t size = value_size(&p->attribute[a]);
        int64_t to = 0;
        for (int64_t i = 0; i < p->count; i++)
            if (!drop[i]) memmove(p->data[a] + (size_t)to++ * size, p->data[a] + (size_t)i * size, size);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < p->count; i++) kept += !drop[i];
    p->count = kept;
    sort_forget(p);
}

int64_t bw_particles_next_id(const struct bw_particles *p) { return p->next_id; }

void bw_particles_set_next_id(struct bw_particles *p, int64_t id) { p->next_id = id; }

enum bw_status bw_particles_restore(struct bw_particles *p, int64_t count)
{
    p->count = 0;
    return particles_add(p, count, NULL);
}

struct key {
    int32_t tile[3];
    int64_t id, from;
};

static int tile_order(const int32_t *a, const int32_t *b)
{
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* A stable radix sort by a 64-bit number of each key, which `number` tells; digits that are all the same cost
 * nothing. */
enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static uint64_t number_id(const struct key *k) { return (uint64_t)k->id; }
static uint64_t number_tile(const struct key *k, int a) { return (uint64_t)((int64_t)k->tile[a] + INT32_MAX + 1); }
static uint64_t number_x(const struct key *k) { return number_tile(k, 0); }
static uint64_t number_y(const struct key *k) { return number_tile(k, 1); }
static uint64_t number_z(const struct key *k) { return number_tile(k, 2); }

static void keys_radix(struct key **key, struct key **other, int64_t n, uint64_t (*number)(const struct key *k))
{
    uint64_t differ = 0;
    for (int64_t i = 1; i < n; i++) differ |= number(&(*key)[i]) ^ number(&(*key)[0]);
    for (int shift = 0; shift < 64 && differ >> shift; shift += DIGIT) {
        int64_t at[DIGITS] = {0}, sum = 0;
        if (!(differ >> shift & (DIGITS - 1))) continue;
        for (int64_t i = 0; i < n; i++) at[number(&(*key)[i]) >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            int64_t here = at[d];
            at[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++) (*other)[at[number(&(*key)[i]) >> shift & (DIGITS - 1)]++] = (*key)[i];
        struct key *swap = *key;
        *key = *other;
        *other = swap;
    }
}

/* By tile (z, then y, then x), then id. */
static void keys_sort(struct key **key, struct key **other, int64_t n)
{
    keys_radix(key, other, n, number_id);
    keys_radix(key, other, n, number_x);
    keys_radix(key, other, n, number_y);
    keys_radix(key, other, n, number_z);
}

static void keys_make(const struct bw_particles *p, const struct bw_domain_info *d, struct key *key)
{
    int pos = find_attribute(p, "pos");
    for (int64_t i = 0; i < p->count; i++) {
        key[i].id = ((const int64_t *)p->data[0])[i];
        key[i].from = i;
        for (int a = 0; a < 3; a++) {
            double x = pos < 0                                 ? 0
                       : p->attribute[pos].precision == BW_F32 ? ((const float *)p->data[pos])[3 * i + a]
                                                               : ((const double *)p->data[pos])[3 * i + a];
            double cell = floor((x - d->origin[a]) / d->h);
            if (!(fabs(cell) < 1e9)) cell = 1e9; /* flung to infinity: a tile of its own, never gathered */
            int32_t c = (int32_t)cell;
            if (bw_bounded(d) && d->side[2 * a].kind == BW_PERIODIC) c = ((c % d->n[a]) + d->n[a]) % d->n[a];
            key[i].tile[a] = bw_floor_div(c, d->tile[a]);
        }
    }
}

static enum bw_status arrays_permute(struct bw_particles *p, const struct key *key)
{
    char *fresh[MAX_ATTRIBUTES];
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        fresh[a] = bw_calloc((size_t)(p->capacity + 1) * value_size(&p->attribute[a]));
        if (fresh[a]) continue;
        while (a) bw_free(fresh[--a]); /* all or nothing: the arrays must stay in step */
        return BW_ERR_MEMORY;
    }
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        size_t size = value_size(&p->attribute[a]);
        for (int64_t i = 0; i < p->count; i++)
            memcpy(fresh[a] + (size_t)i * size, p->data[a] + (size_t)key[i].from * size, size);
        bw_free(p->data[a]);
        p->data[a] = fresh[a];
    }
    return BW_OK;
}

static enum bw_status particles_sort(struct bw_particles *p, struct bw_domain *d)
{
    struct key *memory = bw_calloc(2 * (size_t)(p->count + 1) * sizeof *memory), *key = memory;
    sort_forget(p);
    p->tile = bw_calloc((size_t)(p->count + 1) * sizeof *p->tile);
    p->begin = bw_calloc((size_t)(p->count + 2) * sizeof *p->begin);
    enum bw_status status = memory && p->tile && p->begin ? BW_OK : BW_ERR_MEMORY;
    if (status == BW_OK) {
        struct key *other = memory + p->count + 1;
        keys_make(p, &d->info, key);
        keys_sort(&key, &other, p->count);
        status = arrays_permute(p, key);
    }
    for (int64_t i = 0; status == BW_OK && i < p->count; i++) {
        if (i && !tile_order(key[i].tile, key[i - 1].tile)) continue;
        memcpy(p->tile[p->n_tiles], key[i].tile, sizeof key[i].tile);
        p->begin[p->n_tiles++] = i;
    }
    if (status == BW_OK) p->begin[p->n_tiles] = p->count;
    else sort_forget(p);
    bw_free(memory);
    return status;
}

static int64_t tile_find(const struct bw_particles *p, const int32_t c[3])
{
    int64_t lo = 0, hi = p->n_tiles;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        int o = tile_order(p->tile[mid], c);
        if (!o) return mid;
        if (o < 0) lo = mid + 1;
        else hi = mid;
    }
    return -1;
}

uint32_t bw_particles_ranges(const struct bw_particles *p, const struct bw_domain *d, const int32_t lo_tile[3],
                             const int32_t n_tiles[3], struct bw_range *out)
{
    uint32_t n = 0;
    int32_t q[3];
    for (q[2] = lo_tile[2] - 1; q[2] <= lo_tile[2] + n_tiles[2]; q[2]++)
        for (q[1] = lo_tile[1] - 1; q[1] <= lo_tile[1] + n_tiles[1]; q[1]++)
            for (q[0] = lo_tile[0] - 1; q[0] <= lo_tile[0] + n_tiles[0]; q[0]++) {
                int32_t c[3];
                for (int a = 0; a < 3; a++) {
                    c[a] = q[a];
                    if (!bw_bounded(&d->info) || d->info.side[2 * a].kind != BW_PERIODIC) continue;
                    int32_t tiles = (d->info.n[a] + d->info.tile[a] - 1) / d->info.tile[a];
                    c[a] = ((c[a] % tiles) + tiles) % tiles;
                }
                int64_t t = tile_find(p, c);
                if (t < 0) continue;
                struct bw_range r = {p->begin[t], p->begin[t + 1]};
                bool seen = false; /* periodic boxes thinner than three tiles meet the same tile again */
                for (uint32_t i = 0; i < n; i++) seen |= out[i].begin == r.begin;
                if (!seen) out[n++] = r;
            }
    return n;
}

const struct bw_particles_api bw_particles_table = {
    sizeof(struct bw_particles_api),
    particles_count,
    particles_attribute,
    particles_add,
    particles_remove,
    particles_sort,
};
