// SPDX-License-Identifier: Apache-2.0
/* Taking a run's state, and writing it. Tiles are shared with the run, which copies those that it writes to meanwhile;
 * all else is small and copied. */
#include "checkpoint.h"
#include "base/alloc.h"
#include "file.h"
#include "run/call.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* ---- can it be? ---- */

char *checkpoint_blocker(const struct bw_chain *c)
{
    const uint32_t stage_good = BW_STAGE_PLAIN_STATE | BW_STAGE_REBUILT_STATE,
                   exporter_good = BW_EXPORTER_PLAIN_STATE | BW_EXPORTER_REBUILT_STATE;
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct bw_stage_desc *s = c->stages.stage[i].pub.desc;
        if (s->state_size && !s->checkpoint && !(s->flags & stage_good))
            return bw_printf("this bake can't be resumed: %s does not say how its state is saved", s->id);
    }
    for (int32_t i = 0; i < c->exporters.n; i++) {
        const struct bw_exporter_desc *x = c->exporters.exporter[i].pub.desc;
        if (x->state_size && !x->checkpoint && !(x->flags & exporter_good))
            return bw_printf("this bake can't be resumed: %s does not say how its state is saved", x->id);
    }
    return NULL;
}

/* ---- taking ---- */

/* A value of the grid's, named by whose it is. What a checkpoint of other values lacks is as it was made. */
static enum bw_status value_exchange(struct archive *a, const char *kind, const char *domain, const char *name,
                                     void *data, size_t bytes)
{
    char *owner = bw_printf("%s/%s", kind, domain);
    if (!owner) return BW_ERR_MEMORY;
    archive_owner(a, owner, NULL);
    const bool lacks = a->changed && a->pub.stored(&a->pub, name) < 0;
    enum bw_status status = lacks ? BW_OK : a->pub.bytes(&a->pub, name, data, bytes);
    bw_free(owner);
    return status;
}

static enum bw_status field_exchange(const struct run_field *f, const char *domain, struct archive *a)
{
    if (f->particles) {
        int64_t next = bw_particles_next_id(f->particles);
        enum bw_status status = value_exchange(a, "next_id", domain, f->name, &next, sizeof next);
        if (status == BW_OK) bw_particles_set_next_id(f->particles, next);
        return status;
    }
    if (!f->field || !(f->field->info.alive > 0)) return BW_OK;
    return value_exchange(a, "alive", domain, f->name, f->field->was_alive, (size_t)f->field->src.topo->pub.count);
}

/* Where the cells lie: with other ones the values would stand elsewhere. */
static enum bw_status place_exchange(const struct bw_domain_info *d, struct archive *a)
{
    const double here[] = {d->origin[0], d->origin[1], d->origin[2], d->h};
    double at[4];
    memcpy(at, here, sizeof at);
    const enum bw_status status = value_exchange(a, "domain", d->name, "place", at, sizeof at);
    if (status != BW_OK || !a->changed || !memcmp(at, here, sizeof at)) return status;
    return log_fail(a->log, NULL, BW_ERR_IO,
                    "checkpoint: the cells of domain %s are of %g m from (%g, %g, %g) m on there, and of %g m from "
                    "(%g, %g, %g) m on in this preset: values can't be carried over",
                    d->name, at[3], at[0], at[1], at[2], here[3], here[0], here[1], here[2]);
}

/* What the grid knows beside values: of each domain what went with silent tiles, of each field which tiles were alive
 * (hysteresis), of particles the next id. */
static enum bw_status grid_exchange(struct bw_chain *c, struct archive *a)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++) {
        status = value_exchange(a, "domain", c->grid[i]->name, "dropped", &c->domain[i]->dropped, sizeof(double));
        if (status == BW_OK && (!a->pub.restoring || a->changed)) status = place_exchange(c->grid[i], a);
    }
    for (int32_t i = 0; i < c->fields.n && status == BW_OK; i++)
        status = field_exchange(&c->fields.field[i], c->grid[c->fields.field[i].domain]->name, a);
    return status;
}

static enum bw_status stage_exchange(struct bw_chain *c, struct run_stage *s, const char *owner, struct archive *a)
{
    bool there;
    const enum bw_status status = archive_member(a, owner, s->pub.desc->id, &there);
    s->fresh = !there;
    if (status != BW_OK || s->fresh) return status;
    archive_owner(a, owner, &s->preset->place);
    return call_checkpoint(c, s, &a->pub);
}

static enum bw_status stages_exchange(struct bw_chain *c, struct archive *a)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->stages.n && status == BW_OK; i++) {
        char *owner = bw_printf("stage/%s", c->stages.stage[i].pub.id);
        if (!owner) return BW_ERR_MEMORY;
        status = stage_exchange(c, &c->stages.stage[i], owner, a);
        bw_free(owner);
    }
    return status;
}

static enum bw_status metrics_exchange(struct bw_chain *c, struct archive *a)
{
    archive_owner(a, "metrics", NULL);
    enum bw_status status = metrics_checkpoint(&c->metrics, &a->pub);
    archive_owner(a, "timings", NULL);
    return status == BW_OK ? metrics_checkpoint(&c->timings, &a->pub) : status;
}

enum bw_status checkpoint_exchange(struct bw_chain *c, struct archive *a)
{
    enum bw_status status = grid_exchange(c, a);
    if (status == BW_OK) status = stages_exchange(c, a);
    return status == BW_OK ? metrics_exchange(c, a) : status;
}

struct checkpoint *checkpoint_take(struct bw_chain *c, int64_t substeps, bool extra)
{
    struct checkpoint *p = bw_calloc(sizeof *p);
    enum bw_status status = p ? BW_OK : BW_ERR_MEMORY;
    if (p) {
        p->clock = (struct checkpoint_clock){c->clock.frame, substeps, c->clock.step, c->clock.time};
        archive_init(&p->extra, &c->log, false);
        p->state = snapshot_take(c, c->clock.frame);
        status = !p->state ? BW_ERR_MEMORY : extra ? checkpoint_exchange(c, &p->extra) : BW_OK;
    }
    if (status == BW_OK) return p;
    checkpoint_free(p);
    if (status == BW_ERR_MEMORY) log_fail(&c->log, NULL, status, "out of memory for a checkpoint");
    return NULL;
}

void checkpoint_free(struct checkpoint *p)
{
    if (!p) return;
    snapshot_free(p->state);
    archive_free(&p->extra);
    bw_free(p->about);
    bw_free(p);
}

/* ---- writing ---- */

static bool section_add(struct checkpoint_writer *w, const char *kind, const char *domain, const char *name,
                        const struct checkpoint_piece *piece, size_t n)
{
    char *key = bw_printf("%s/%s/%s", kind, domain, name);
    if (!key) errno = ENOMEM;
    bool good = key && checkpoint_add(w, key, piece, n);
    bw_free(key);
    return good;
}

static bool tiles_write(struct checkpoint_writer *w, const struct bw_domain_info *domain, const struct bw_topo *t)
{
    struct checkpoint_piece piece[] = {{&t->pub.version, sizeof t->pub.version},
                                       {&t->pub.count, sizeof t->pub.count},
                                       {t->coord, (size_t)t->pub.count * sizeof *t->coord}};
    return section_add(w, "tiles", domain->name, "", piece, 3);
}

/// What a piece of a field's section is.
struct field_place {
    int64_t tile;
    uint32_t comp;
    bool boundary_faces;
};

/// A field whose tiles are being written.
struct field_source {
    struct chain_snapshot *state;
    uint32_t k;
    struct field_place *place; ///< of each piece behind the first
};

/* Tiles from `first` on, as many as lie together. */
static bool round_lend(struct chain_snapshot *s, uint32_t k, int64_t first)
{
    const struct bw_source *src = &s->source[k];
    int32_t cell[CHECKPOINT_ROUND][3], n = 0;
    for (int64_t t = first; t < src->topo->pub.count && n < CHECKPOINT_ROUND; t++, n++)
        for (int a = 0; a < 3; a++) cell[n][a] = src->topo->coord[t][a] * src->info->domain->tile[a];
    if (snapshot_fetch_cells(s, k, (const int32_t(*)[3])cell, n, false) == BW_OK) return true;
    errno = ENOMEM;
    return false;
}

static const void *place_reach(size_t i, void *user)
{
    const struct field_source *w = user;
    const struct field_place *p = &w->place[i - 1];
    const struct bw_source *s = &w->state->source[w->k];
    const bool begins = p->tile % CHECKPOINT_ROUND == 0 && p->comp == 0 && !p->boundary_faces;
    if (begins && !round_lend(w->state, w->k, p->tile)) return NULL;
    return p->boundary_faces ? s->boundary_faces[p->comp][p->tile] : s->data[p->comp][p->tile];
}

/* Pieces of the tiles from `first` to `end` - 1: all blocks or all rims, component by component. Which tiles have rims
 * their neighbours tell: those of other processes may have come without. */
static size_t places_add(const struct bw_source *s, int64_t first, int64_t end, bool faces, struct field_place *place,
                         struct checkpoint_piece *piece)
{
    const size_t elem = s->info->precision == BW_F64P ? 8 : 4;
    size_t n = 0;
    for (uint32_t c = 0; c < s->info->comps; c++)
        for (int64_t t = first; t < end; t++) {
            if (faces && (s->info->kind != BW_MAC || s->topo->neighbour[t][2 * c + 1] >= 0)) continue;
            const size_t values = faces ? bw_field_boundary_faces(s->info->domain, (int)c) : BW_TILE_CELLS;
            place[n] = (struct field_place){t, c, faces};
            piece[n++] = (struct checkpoint_piece){NULL, values * elem};
        }
    return n;
}

/* What the field is; then of so many tiles at a time, which come from other processes together, blocks and rims. */
static bool field_write(struct checkpoint_writer *w, struct chain_snapshot *state, uint32_t k)
{
    const struct bw_source *s = &state->source[k];
    const struct bw_field_info *info = s->info;
    const struct checkpoint_field head = {info->kind, info->precision, info->comps, info->lifetime};
    const int64_t tiles = s->topo->pub.count;
    const size_t most = (size_t)(2 * tiles * info->comps + 1);
    struct checkpoint_piece *piece = bw_calloc(most * sizeof *piece);
    struct field_source source = {state, k, bw_calloc(most * sizeof *source.place)};
    size_t n = 0;
    if (piece) piece[n++] = (struct checkpoint_piece){&head, sizeof head};
    for (int64_t t = 0; piece && source.place && t < tiles; t += CHECKPOINT_ROUND)
        for (int faces = 0; faces < 2; faces++) {
            const int64_t end = t + CHECKPOINT_ROUND < tiles ? t + CHECKPOINT_ROUND : tiles;
            n += places_add(s, t, end, faces, source.place + n - 1, piece + n);
        }
    checkpoint_set_source(w, place_reach, &source);
    errno = ENOMEM;
    const bool good = piece && source.place && section_add(w, "field", info->domain->name, info->name, piece, n);
    bw_free(piece);
    bw_free(source.place);
    return good;
}

static bool particles_write(struct checkpoint_writer *w, uint32_t index, const struct bw_snapshot_particles *p)
{
    const uint64_t shape = checkpoint_shape(p->attributes, p->n_attributes);
    struct checkpoint_piece piece[64] = {{&p->count, sizeof p->count}, {&shape, sizeof shape}};
    char number[16];
    snprintf(number, sizeof number, "%u", index);
    for (uint32_t a = 0; a < p->n_attributes && a < 62; a++) {
        size_t size = p->attributes[a].precision == BW_F32 ? 4 : 8;
        piece[a + 2] = (struct checkpoint_piece){p->data[a], (size_t)p->count * p->attributes[a].comps * size};
    }
    return section_add(w, "particles", number, p->name, piece, p->n_attributes + 2);
}

uint64_t checkpoint_shape(const struct bw_attribute *rows, uint32_t n)
{
    uint64_t shape = n;
    for (uint32_t a = 0; a < n; a++)
        shape = XXH3_64bits_withSeed(rows[a].name, strlen(rows[a].name),
                                     shape * 64 + rows[a].precision * 8 + rows[a].comps);
    return shape;
}

bool checkpoint_wants(const struct bw_field_info *info) { return info->lifetime == BW_STATE || info->alive > 0; }

static bool state_write(struct checkpoint_writer *w, const struct bw_chain *c, const struct checkpoint *p)
{
    struct chain_snapshot *s = p->state;
    bool good = true;
    for (int32_t i = 0; i < c->preset->n_domains && good; i++) {
        const struct bw_topo *topo = NULL;
        for (uint32_t k = 0; k < s->frame.n_fields; k++)
            if (s->source[k].info->domain == c->grid[i]) topo = s->source[k].topo;
        good = !topo || tiles_write(w, c->grid[i], topo);
    }
    for (uint32_t k = 0; k < s->frame.n_fields && good; k++)
        if (checkpoint_wants(s->source[k].info)) good = field_write(w, s, k);
    snapshot_fetch_end(s);
    for (uint32_t k = 0; k < s->frame.n_particles && good; k++) good = particles_write(w, k, &s->particles[k]);
    return good;
}

bool checkpoint_write(struct bw_chain *c, struct checkpoint *p, const char *path)
{
    struct checkpoint_writer *w = checkpoint_create(path);
    if (!w) return false;
    struct checkpoint_piece text = {p->about, strlen(p->about)}, clock = {&p->clock, sizeof p->clock};
    bool good = checkpoint_add(w, "about", &text, 1) && checkpoint_add(w, "clock", &clock, 1) && state_write(w, c, p);
    for (int32_t i = 0; i < p->extra.n && good; i++) {
        const struct archive_entry *e = &p->extra.entry[i];
        good = checkpoint_add(w, e->key, &(struct checkpoint_piece){e->data, e->bytes}, 1);
    }
    int why = errno;
    bool closed = checkpoint_close(w);
    if (!good) errno = why;
    return good && closed;
}
