// SPDX-License-Identifier: Apache-2.0
/* What a run shows, frame by frame: all bits of all fields and particles, and every metric. */
#ifndef RESUME_FACTS_H
#define RESUME_FACTS_H

#include "physics.h"
#include "run/call.h"

enum { FACTS = 1 << 14 };

struct fact {
    char what[80];
    uint64_t hash;
};
struct witness {
    struct bw_chain *chain;
    struct fact fact[FACTS];
    int n, frame;
    int stop_after;        ///< substeps that the chain may still make; < 0: any number
    _Atomic int stop;      ///< set then
    const char *forgetful; ///< NULL: the chain runs as it is; else a stage that does not get back what it kept, or ""
    uint64_t damage;       ///< not 0: what they kept is damaged by this seed
    char checkpoint[128];  ///< the last one, or ""
};
static uint64_t hash_add(uint64_t h, const void *data, size_t bytes)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)data + i, 8);
        h = bw_mix64(h ^ word);
    }
    for (size_t i = bytes & ~(size_t)7; i < bytes; i++) h = bw_mix64(h ^ ((const unsigned char *)data)[i]);
    return h;
}

static void fact_add(struct witness *w, const char *kind, const char *name, uint64_t hash)
{
    cr_assert_lt(w->n, FACTS);
    struct fact *f = &w->fact[w->n++];
    snprintf(f->what, sizeof f->what, "frame %d: %s %s", w->frame, kind, name);
    f->hash = hash;
}

static uint64_t field_hash(const struct bw_field *f)
{
    const int64_t count = f->src.topo->pub.count;
    uint64_t h = hash_add(1, f->src.topo->coord, (size_t)count * sizeof *f->src.topo->coord);
    for (uint32_t c = 0; c < f->info.comps; c++) {
        const size_t rim = bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem;
        for (int64_t i = 0; i < count; i++) h = hash_add(h, f->src.data[c][i], BW_TILE_CELLS * f->elem);
        for (int64_t i = 0; i < count && f->src.boundary_faces[c]; i++)
            if (f->src.boundary_faces[c][i]) h = hash_add(h, f->src.boundary_faces[c][i], rim);
    }
    return h;
}

static uint64_t particles_hash(struct bw_particles *p)
{
    struct bw_attribute row[64];
    const uint32_t n = bw_particles_attributes(p, row);
    const int64_t count = bw_particles_table.count(p);
    uint64_t h = hash_add(2, &count, sizeof count);
    for (uint32_t a = 0; a < n; a++) {
        const size_t bytes = row[a].precision == BW_F32 ? 4 : 8;
        h = hash_add(h, bw_particles_table.attribute(p, row[a].name), (size_t)count * row[a].comps * bytes);
    }
    return h;
}

/// From on_frame.
static void frame_see(const struct bw_progress *p, struct witness *w)
{
    const struct bw_chain *c = w->chain;
    w->frame = (int)p->frame;
    for (int32_t i = 0; i < c->fields.n; i++) {
        const struct run_field *f = &c->fields.field[i];
        if (f->field) fact_add(w, "field", f->name, field_hash(f->field));
        if (f->particles) fact_add(w, "particles", f->name, particles_hash(f->particles));
    }
    for (int32_t i = 0; i < c->metrics.n_metrics; i++) {
        const struct metric *m = &c->metrics.metric[i];
        if (!strstr(m->name, "seconds")) fact_add(w, "metric", m->name, hash_add(3, &m->last, sizeof m->last));
    }
}

/// The first fact that differs, as a sentence; NULL: none does.
static const char *facts_compare(const struct witness *a, const struct witness *b)
{
    static char text[160];
    int q = 0;
    while (q < a->n && q < b->n && a->fact[q].hash == b->fact[q].hash && !strcmp(a->fact[q].what, b->fact[q].what)) q++;
    if (q == a->n && q == b->n) return NULL;
    if (q == a->n || q == b->n) snprintf(text, sizeof text, "%d facts, not %d", b->n, a->n);
    else if (strcmp(a->fact[q].what, b->fact[q].what)) snprintf(text, sizeof text, "no %s", a->fact[q].what);
    else snprintf(text, sizeof text, "%s is not the same", a->fact[q].what);
    return text;
}

#endif
