// SPDX-License-Identifier: Apache-2.0
#include "services.h"
#include "grid/grid.h"
#include <string.h>

static void service_sample(const struct bw_field *f, size_t count, const bw_vec3 *pos, double *out)
{
    bw_sample(&f->src, count, pos, out);
}
static void service_component(const struct bw_field *f, uint32_t c, size_t count, const bw_vec3 *pos, double *out)
{
    bw_sample_one(&f->src, c, count, pos, out, 1);
}

static const struct bw_topology *service_topology(struct bw_domain *d) { return &d->topo->pub; }

static const void *service_data(const struct bw_field *f, uint32_t c, int64_t index)
{
    return c < f->info.comps && index >= 0 && index < f->src.topo->pub.count ? f->src.data[c][index] : NULL;
}

static int64_t service_find(const struct bw_domain *d, const int32_t coord[3])
{
    return bw_topo_find(d->topo, &d->info, coord);
}

static struct bw_domain *service_domain(const struct bw_field *f) { return f->domain; }

static const struct bw_sample_api sample_table = {sizeof sample_table, service_sample, service_component};
static const struct bw_tiles_api tiles_table = {sizeof tiles_table, service_topology, service_data, service_find,
                                                service_domain};

const void *service_by_id(const char *id)
{
    if (!strcmp(id, BW_SAMPLE)) return &sample_table;
    if (!strcmp(id, BW_TILES)) return &tiles_table;
    if (!strcmp(id, BW_PARTICLES_API)) return &bw_particles_table;
    return NULL;
}
