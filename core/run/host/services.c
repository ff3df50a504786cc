// SPDX-License-Identifier: Apache-2.0
#include "services.h"
#include "base/thread/where.h"
#include "grid/ranks/ranks.h"
#include <math.h>
#include <string.h>

/* A NaN was read from an absent tile, for fields hold finite numbers: the sweep will fetch the field and run again. */
static void absent_reads_mark(const struct bw_field *f, size_t count, const double *out)
{
    if (!bw_ranks_many(f->domain)) return;
    for (size_t i = 0; i < count; i++)
        if (isnan(out[i])) atomic_store(&((struct bw_field *)f)->absent_read, 1);
}

static void service_sample(const struct bw_field *f, size_t count, const bw_vec3 *pos, double *out)
{
    bw_sample(&f->src, count, pos, out);
    absent_reads_mark(f, count * f->info.comps, out);
}
static void service_component(const struct bw_field *f, uint32_t c, size_t count, const bw_vec3 *pos, double *out)
{
    bw_sample_component(&f->src, c, count, pos, out, 1);
    absent_reads_mark(f, count, out);
}

static void service_box(const struct bw_field *f, uint32_t c, const int32_t lo[3], const int32_t n[3], float *out)
{
    bw_fill(&f->src, c, lo, n, out, n[0], (ptrdiff_t)n[0] * n[1], true);
}

static const struct bw_topology *service_topology(struct bw_domain *d) { return &d->topo->pub; }

static const void *service_data(const struct bw_field *f, uint32_t c, int64_t index)
{
    const void *block =
        c < f->info.comps && index >= 0 && index < f->src.topo->pub.count ? f->src.data[c][index] : NULL;
    if (bw_ranks_is_absent(f, block)) atomic_store(&((struct bw_field *)f)->absent_read, 1);
    return block;
}

static int64_t service_find(const struct bw_domain *d, const int32_t coord[3])
{
    return bw_topo_find(d->topo, &d->info, coord);
}

static struct bw_domain *service_domain(const struct bw_field *f) { return f->domain; }

/* ---- particles: what changes them is not for bodies ---- */

static int64_t service_count(const struct bw_particles *p) { return bw_particles_table.count(p); }
static void *service_attribute(struct bw_particles *p, const char *name)
{
    return bw_particles_table.attribute(p, name);
}

static enum bw_status service_add(struct bw_particles *p, int64_t n, int64_t *first)
{
    return where_refuses("particles add") ? BW_ERR_PLUGIN : bw_particles_table.add(p, n, first);
}

static void service_remove(struct bw_particles *p, const uint8_t *drop)
{
    if (!where_refuses("particles remove")) bw_particles_table.remove(p, drop);
}

static enum bw_status service_sort(struct bw_particles *p, struct bw_domain *d)
{
    return where_refuses("particles sort") ? BW_ERR_PLUGIN : bw_particles_table.sort(p, d);
}

static const struct bw_particles_api particles_table = {
    sizeof particles_table, service_count, service_attribute, service_add, service_remove, service_sort};
static const struct bw_sample_api sample_table = {sizeof sample_table, service_sample, service_component, service_box};
static const struct bw_tiles_api tiles_table = {sizeof tiles_table, service_topology, service_data, service_find,
                                                service_domain};

const void *service_by_id(const char *id)
{
    if (!strcmp(id, BW_SAMPLE)) return &sample_table;
    if (!strcmp(id, BW_TILES)) return &tiles_table;
    if (!strcmp(id, BW_PARTICLES_API)) return &particles_table;
    return NULL;
}
