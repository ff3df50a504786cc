// SPDX-License-Identifier: Apache-2.0
/* A checkpoint's sections back into the chain. What does not fit is refused by name: the file may be anybody's. */
#include "checkpoint.h"
#include "base/alloc.h"
#include "file.h"
#include "grid/ranks/ranks.h"
#include "run/call.h"
#include "run/wire/ports.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct restore {
    struct bw_chain *chain;
    struct checkpoint_reader *file;
    const char *path;
    struct bw_diag *d;
    struct archive extra;
    struct checkpoint_clock *clock;
    int32_t tiles, fields, particles, clocks; ///< sections seen
    int32_t after;                            ///< number in the table of the particles seen last; -1: none
    double bytes;                             ///< of memory that they asked for
};

static bool restore_fail(struct restore *r, const char *what, const char *name)
{
    if (r->d->status == BW_OK) bw_diag_error(r->d, BW_NAMED(r->path), BW_ERR_IO, "%s: %s \"%s\"", r->path, what, name);
    return false;
}

/* What has no place any more. It would be gone without a word, smoke or whatever it is. */
static bool homeless(struct restore *r, const char *what, const char *name)
{
    if (!r->chain->opt.changed || r->d->status != BW_OK) return restore_fail(r, what, name);
    bw_diag_error(r->d, BW_NAMED(r->path), BW_ERR_IO,
                  "%s: %s \"%s\" in this preset, and its values would be lost: what makes it has to stay, and may end "
                  "by its `frames`",
                  r->path, what, name);
    return false;
}

/* A small file may unpack to more than there is, and the machine would be at its end before anybody is told. */
static bool memory_allows(struct restore *r, double bytes)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
           limit = r->chain->preset->memory_limit;
    r->bytes += bytes;
    if (r->bytes <= (limit > 0 && limit < machine ? limit : machine)) return true;
    bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "%s: out of memory: it would take more than %.3g GiB", r->path,
                  r->bytes / (1 << 30));
    return false;
}

static bool take(struct restore *r, void *data, size_t bytes) { return checkpoint_read(r->file, data, bytes, r->d); }

/* ---- sections ---- */

/* Is the key "DOMAIN/"? */
static bool is_of(const char *key, const char *domain)
{
    size_t n = strlen(domain);
    return !strncmp(key, domain, n) && !strcmp(key + n, "/");
}

/* What a tile of the domain takes in all its fields. */
static double tile_bytes(const struct bw_domain *d)
{
    double bytes = 0;
    for (const struct bw_field *f = d->fields; f; f = f->next) bytes += (double)f->info.comps * BW_TILE_CELLS * f->elem;
    return bytes;
}

static bool tiles_take(struct restore *r, const char *name, size_t bytes)
{
    struct bw_chain *c = r->chain;
    uint64_t version;
    int64_t n;
    int32_t i = 0;
    while (i < c->preset->n_domains && !is_of(name, c->grid[i]->name)) i++;
    if (i == c->preset->n_domains) return homeless(r, "there is no domain", name);
    if (!take(r, &version, sizeof version) || !take(r, &n, sizeof n)) return false;
    if (n < 0 || (bytes - 16) / 12 != (uint64_t)n || (bytes - 16) % 12)
        return restore_fail(r, "wrong number of tiles in", name);
    if (r->fields) return restore_fail(r, "fields stand before the tiles of", name);
    if (!memory_allows(r, (double)n * tile_bytes(c->domain[i]))) return false;
    int32_t(*coord)[3] = bw_calloc((size_t)n * 12 + 1);
    bool good = coord && take(r, coord, (size_t)n * 12);
    enum bw_status status = good ? bw_domain_restore(c->domain[i], (const int32_t(*)[3])coord, n, version) : BW_OK;
    bw_free(coord);
    if (!coord || status == BW_ERR_MEMORY)
        bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "%s: out of memory for its tiles", r->path);
    else if (status != BW_OK) restore_fail(r, "tiles beyond the box of", name);
    r->tiles++;
    return r->d->status == BW_OK;
}

static size_t field_bytes(const struct bw_field *f)
{
    size_t bytes =
        sizeof(struct checkpoint_field) + (size_t)f->src.topo->pub.count * f->info.comps * BW_TILE_CELLS * f->elem;
    for (uint32_t c = 0; c < f->info.comps && f->src.boundary_faces[c]; c++)
        for (int64_t t = 0; t < f->src.topo->pub.count; t++)
            if (f->src.boundary_faces[c][t]) bytes += bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem;
    return bytes;
}

static bool blocks_take(struct restore *r, struct bw_field *f, int64_t first, int64_t end)
{
    for (uint32_t c = 0; c < f->info.comps; c++)
        for (int64_t t = first; t < end; t++) {
            double others[BW_TILE_CELLS]; // what is another rank's is only read past
            void *block = bw_ranks_is_mine(f->domain, t) ? bw_field_writable_tile(f, c, t) : others;
            if (!block) return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "%s: out of memory", r->path), false;
            if (!take(r, block, BW_TILE_CELLS * f->elem)) return false;
        }
    return true;
}

static bool rims_take(struct restore *r, struct bw_field *f, int64_t first, int64_t end)
{
    for (uint32_t c = 0; c < f->info.comps && f->src.boundary_faces[c]; c++)
        for (int64_t t = first; t < end; t++)
            if (f->src.boundary_faces[c][t] &&
                !take(r, f->src.boundary_faces[c][t], bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem))
                return false;
    return true;
}

/* "a scalar in f32", and whether it is one that each step clears. */
static void kind_words(const struct checkpoint_field *k, char out[64])
{
    const bool known = k->kind <= BW_MAC && k->precision <= BW_F64P;
    snprintf(out, 64, "a %s in %s%s", known ? port_kind_word[k->kind] : "field",
             known ? port_precision_word[k->precision] : "", k->lifetime == BW_STEP ? " for one step" : "");
}

static bool kind_same(struct restore *r, const struct bw_field *f, const struct checkpoint_field *head)
{
    const struct checkpoint_field here = {f->info.kind, f->info.precision, f->info.comps, f->info.lifetime};
    char then[64], now[64];
    if (!memcmp(head, &here, sizeof here)) return true;
    kind_words(head, then);
    kind_words(&here, now);
    bw_diag_error(r->d, BW_NAMED(r->path), BW_ERR_IO,
                  "%s: the field \"%s\" is another one: %s there, %s in this preset", r->path, f->info.name, then, now);
    return false;
}

static bool field_fill(struct restore *r, struct bw_field *f)
{
    int64_t n = f->src.topo->pub.count;
    for (int64_t t = 0; t < n; t += CHECKPOINT_ROUND) {
        const int64_t end = t + CHECKPOINT_ROUND < n ? t + CHECKPOINT_ROUND : n;
        if (!blocks_take(r, f, t, end) || !rims_take(r, f, t, end)) return false;
    }
    if (bw_ranks_many(f->domain)) bw_ranks_drop_copies(f);
    return true;
}

static bool field_adopt(struct restore *r, const char *name, size_t bytes)
{
    const struct field_table *t = &r->chain->fields;
    for (int32_t i = 0; i < t->n; i++) {
        struct bw_field *f = t->field[i].field;
        size_t domain = f ? strlen(f->domain->info.name) : 0;
        if (!f || strncmp(name, f->domain->info.name, domain) || name[domain] != '/' ||
            strcmp(name + domain + 1, f->info.name) != 0)
            continue;
        struct checkpoint_field head;
        r->fields++;
        if (!take(r, &head, sizeof head) || !kind_same(r, f, &head)) return false;
        const char *wrong = r->chain->opt.changed ? "on a grid of other cells is the field" : "wrong size of field";
        return bytes == field_bytes(f) ? field_fill(r, f) : restore_fail(r, wrong, name);
    }
    return homeless(r, "there is no field", name);
}

static bool particles_take(struct restore *r, const char *name, size_t bytes)
{
    const struct field_table *t = &r->chain->fields;
    struct bw_attribute rows[64];
    char *rest;
    unsigned long index = strtoul(name, &rest, 10), k = 0;
    for (int32_t i = 0; i < t->n; i++) {
        struct bw_particles *p = t->field[i].particles;
        const bool next = p && (r->chain->opt.changed ? i > r->after : k++ == index); // there may be new ones between
        if (!next || *rest != '/' || strcmp(rest + 1, t->field[i].name) != 0) continue;
        r->after = i;
        uint32_t n = bw_particles_attributes(p, rows);
        size_t one = 0;
        int64_t count;
        uint64_t shape;
        for (uint32_t a = 0; a < n; a++) one += rows[a].comps * (rows[a].precision == BW_F32 ? 4u : 8u);
        if (!take(r, &count, sizeof count) || !take(r, &shape, sizeof shape)) return false;
        if (shape != checkpoint_shape(rows, n)) return restore_fail(r, "other attributes of", name);
        if (count < 0 || (bytes - 16) / one != (uint64_t)count || (bytes - 16) % one)
            return restore_fail(r, "wrong number of particles", name);
        if (!memory_allows(r, (double)bytes)) return false;
        if (bw_particles_restore(p, count) != BW_OK)
            return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "%s: out of memory for particles", r->path), false;
        for (uint32_t a = 0; a < n; a++) {
            size_t size = (size_t)count * rows[a].comps * (rows[a].precision == BW_F32 ? 4u : 8u);
            if (!take(r, bw_particles_table.attribute(p, rows[a].name), size)) return false;
        }
        r->particles++;
        return true;
    }
    return homeless(r, "there are no particles", name);
}

static bool extra_take(struct restore *r, const char *name, size_t bytes)
{
    void *data = memory_allows(r, (double)bytes) ? bw_calloc(bytes + 1) : NULL;
    if (data && !take(r, data, bytes)) return bw_free(data), false;
    if (data && archive_put(&r->extra, name, data, bytes) == BW_OK) return true;
    if (r->d->status != BW_OK) return false;
    return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "%s: out of memory for %s", r->path, name), false;
}

/* A time far from the frame's would let the run make steps for ever. Where it was resumed with another fps it is not
 * the frame's own. */
static bool clock_take(struct restore *r, size_t bytes)
{
    const struct bw_preset_time *t = &r->chain->preset->time;
    const struct checkpoint_clock *at = r->clock;
    const int64_t from = bw_preset_begin(t);
    r->clocks++;
    if (bytes != sizeof *r->clock) return restore_fail(r, "wrong size of", "clock");
    if (!take(r, r->clock, bytes)) return false;
    if (at->frame < from || at->frame > t->write_last || at->substeps < -1 || at->substeps > INT32_MAX ||
        at->step < 0 || at->step > (int64_t)1 << 53 || !isfinite(at->time))
        return restore_fail(r, "no frame of this bake in", "clock");
    const double left = (double)(at->frame - t->first) / t->fps - at->time,
                 since = (double)(at->frame - from + 1) / t->fps;
    return left <= 1000 * since || restore_fail(r, "a time that cannot be in", "clock");
}

static bool section_take(struct restore *r, const char *name, size_t bytes)
{
    const bool tiles = !strncmp(name, "tiles/", 6), field = !strncmp(name, "field/", 6),
               particles = !strncmp(name, "particles/", 10), clock = !strcmp(name, "clock");
    if (!strcmp(name, "about")) return true;
    if (archive_find(&r->extra, name)) return restore_fail(r, "twice there is", name);
    if (!tiles && !field && !particles && !clock) return extra_take(r, name, bytes);
    if (archive_put(&r->extra, name, NULL, 0) != BW_OK)
        return bw_diag_error(r->d, NULL, BW_ERR_MEMORY, "%s: out of memory for %s", r->path, name), false;
    if (tiles) return tiles_take(r, name + 6, bytes);
    if (field) return field_adopt(r, name + 6, bytes);
    return clock ? clock_take(r, bytes) : particles_take(r, name + 10, bytes);
}

/* ---- all that is to be there ---- */

static bool sections_complete(struct restore *r)
{
    const struct bw_chain *c = r->chain;
    int32_t fields = 0, particles = 0, tiles = 0;
    for (int32_t i = 0; i < c->fields.n; i++) {
        fields += c->fields.field[i].field && checkpoint_wants(&c->fields.field[i].field->info);
        particles += c->fields.field[i].particles != NULL;
    }
    for (int32_t i = 0; i < c->preset->n_domains; i++) {
        bool used = false;
        for (int32_t k = 0; k < c->fields.n; k++) used |= c->fields.field[k].field && c->fields.field[k].domain == i;
        tiles += used;
    }
    if (r->clocks == 1 && c->opt.changed) return true; // what is not there is new
    if (r->clocks == 1 && r->fields == fields && r->particles == particles && r->tiles == tiles) return true;
    return restore_fail(r, "fields or particles are missing for", c->preset->name);
}

enum bw_status checkpoint_restore(struct bw_chain *c, const char *path, struct checkpoint_clock *clock)
{
    struct bw_diag d = {0};
    struct restore r = {.chain = c, .path = path, .d = &d, .clock = clock, .after = -1};
    const char *name;
    size_t bytes;
    int more = 0;
    archive_init(&r.extra, &c->log, true);
    r.extra.changed = c->opt.changed;
    r.file = checkpoint_open(path, &d);
    while (r.file && (more = checkpoint_next(r.file, &name, &bytes, &d)) == 1)
        if (!section_take(&r, name, bytes)) break;
    if (r.file && d.status == BW_OK) sections_complete(&r);
    checkpoint_reader_free(r.file);
    enum bw_status status = d.status;
    if (status != BW_OK) log_fail(&c->log, NULL, status, "%s", d.first ? d.first : "the checkpoint can't be read");
    if (status == BW_OK) status = checkpoint_exchange(c, &r.extra);
    if (status == BW_OK) status = exporters_checkpoint(&c->exporters, &r.extra);
    if (status != BW_OK && d.status == BW_OK) log_fail(&c->log, NULL, status, "%s: does not fit this bake", path);
    archive_free(&r.extra);
    bw_diag_free(&d);
    return status;
}

char *checkpoint_about(const char *path, struct bw_diag *d)
{
    struct checkpoint_reader *r = checkpoint_open(path, d);
    char *about = NULL;
    const char *name;
    size_t bytes;
    int more = 0;
    while (r && (more = checkpoint_next(r, &name, &bytes, d)) == 1) {
        if (about || strcmp(name, "about") != 0 || bytes > 1 << 28) continue;
        about = bw_calloc(bytes + 1);
        if (!about || !checkpoint_read(r, about, bytes, d)) more = -1;
        if (more < 0) break;
    }
    checkpoint_reader_free(r);
    if (r && more == 0 && about) return about;
    if (d->status == BW_OK) bw_diag_error(d, BW_NAMED(path), BW_ERR_IO, "%s: says nothing about its bake", path);
    bw_free(about);
    return NULL;
}
