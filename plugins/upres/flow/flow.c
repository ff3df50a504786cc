// SPDX-License-Identifier: Apache-2.0
/* upres.flow: the flow of a finished cache on a finer domain, with the turbulence that the cache could not resolve.
 *
 *     u = I(u_base) + curl(Ψ),   Ψ = Σ_octaves Σ_sets A · weight / gain · N((x + offset) / s)
 *
 * I: Catmull-Rom's tricubic from the cache's cells, linear in time between its frames. N: wavelet noise
 * (wavelet_noise.h) of lattice spacing s = 1.3 h_base, half of that … while its waves have two cells of the domain or
 * more. A: rms velocity of the octave, from the cache's own energy (texture.c); gain: what the curl makes of unit
 * noise. Ψ lives on the corners of the cells, an edge takes the mean of its two ends, and the curl is taken edge by
 * edge round each face: what flows into a cell flows out of it to rounding, with amplitudes and coordinates that differ
 * from place to place, across all blocks. Towards obstacles (`solid` in the cache) and closed sides Ψ goes to 0 within
 * a lattice cell, so that no noise crosses them (Bridson, Hourihan, Nordenstam, "Curl-noise", SIGGRAPH 2007). Noise is
 * made once a frame, round smoke alone, in later substeps only for newly activated tiles. Kim, Thürey, James, Gross,
 * "Wavelet turbulence for fluid simulation", SIGGRAPH 2008. Their 5/6 for `decay` makes E(k) fall with k^-8/3, for an
 * octave holds E(k) dk with dk ~ k; Kolmogorov's -5/3 is a decay of 1/3.
 *
 * Noise in none but the cache's own cells that hold smoke would be a fifth less work, and a fifth less energy.
 *
 * resim: I(u_base) alone, at the step's end, where mac.project would be: the next step advects by it. */
#include "flow.h"
#include "stages.h"

#include <math.h>
#include <string.h>

/* Of the curl's energy on a lattice of spacing s, 84 % lies in wavelengths of 2s/1.3 to 4s/1.3, 7 % longer, 9 %
 * shorter: the corners of the lattice's spectrum are finer than its edges. (On s itself a whole 40 % would be finer
 * than 2s.) */
static const double SPREAD = 1.3;

static const struct bw_param params[] = {
    BW_STRING(struct flow, grid, "grid", "vel", "The flow's grid in the files."),
    BW_STRING(struct flow, around, "around", "density",
              "Noise is made round what this grid of the files holds: more than a thousandth of its largest value, and "
              "two to three cells of the files' around it. Empty, or not in the files: everywhere."),
    BW_F64(struct flow, strength, "strength", "1", 0, 20, NULL,
           "The noise's velocity, times what the cache's own energy asks for."),
    BW_F64(struct flow, decay, "decay", "0.8333333333333333", 0, 4, NULL,
           "Each octave has 2^-decay of the velocity of the one before: 5/6 as in wavelet turbulence, 1/3 for "
           "Kolmogorov's spectrum."),
    BW_F64(struct flow, renew, "renew", "0.3 s", 0, 1e6, "s",
           "How long a set of texture coordinates is advected before it is reset.",
           BW_PARAM_MIN_OPEN | BW_PARAM_STATIC),
};

static const struct bw_port ports[] = {
    [FLOW_VEL] = {.name = "vel",
                  .kind = BW_MAC,
                  .access = BW_WRITE,
                  .unit = "m/s",
                  .doc = "The cache's flow and the noise.",
                  .flags = BW_PORT_ADVECTED},
    [FLOW_NOISE] = {.name = "noise",
                    .kind = BW_MAC,
                    .access = BW_UPDATE,
                    .unit = "m/s",
                    .doc = "The noise alone.",
                    .flags = BW_PORT_PRIVATE},
};

/* ---- the files ---- */

static int64_t number_at(const struct bw_stage *s) { return (int64_t)ceil(s->frame - 1e-6); }

static enum bw_status solid_read(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    int32_t grid = bwvdb_find(st->cache.file, "solid");
    if (grid < 0) return BW_OK;
    enum bw_status status =
        cache_read(s, &st->cache, &(struct grid_request){"solid", 1, 1, 0}, &st->solid_lattice, &st->solid);
    if (status) return status;
    st->solid_band = (float)fabs(bwvdb_grid_info(st->cache.file, grid)->background[0] / st->cache.facts.scale);
    for (size_t i = 0; i < dense_count(&st->solid); i++) st->solid.v[0][i] = st->solid_band - st->solid.v[0][i];
    return BW_OK;
}

/* What was later is now earlier, on the flow's lattice; a file without the grid says nothing. */
static enum bw_status smoke_read(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    const struct flow *p = s->params;
    struct lattice lattice = st->lattice;
    dense_free(s, &st->smoke[0]);
    st->smoke[0] = st->smoke[1];
    st->smoke[1] = (struct dense){.comps = 0};
    const int32_t grid = *p->around ? bwvdb_find(st->cache.file, p->around) : -1;
    if (grid < 0 || bwvdb_grid_info(st->cache.file, grid)->comps != 1) return BW_OK;
    return cache_read(s, &st->cache, &(struct grid_request){p->around, 1, 0, 1}, &lattice, &st->smoke[1]);
}

static enum bw_status octaves_make(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    double h = s->grid->h, ratio = st->lattice.h / h;
    if (ratio < 1.5)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "the cache has voxels of %.4g m and this domain %.4g m: half of it or less leaves room for detail",
            st->lattice.h, h);
    double spacing = SPREAD * st->lattice.h;
    for (st->n_octaves = 0; st->n_octaves < FLOW_OCTAVES && spacing > .99 * SPREAD * h; spacing /= 2) {
        double gain = wavelet_curl_rms(s, st->tile, h / spacing) / spacing;
        st->octave[st->n_octaves] = (struct octave){spacing, (float)(1 / gain), st->n_octaves == 0};
        st->n_octaves++;
    }
    return BW_OK;
}

struct sharpen {
    struct dense *d;
    int axis; ///< of the component
};

static int is_known(const struct dense *d, size_t at)
{
    return d->v[0][at] != 0 || d->v[1][at] != 0 || d->v[2][at] != 0;
}

/* Lines along the component's own axis, of one plane that holds them whole. */
static void sharpen_plane(int64_t plane, uint32_t worker, void *user)
{
    const struct sharpen *p = user;
    const struct dense *d = p->d;
    const size_t stride[3] = {1, (size_t)d->n[0], (size_t)d->n[0] * (size_t)d->n[1]}, up = stride[p->axis];
    const int along = p->axis == 2 ? 1 : 2, lines = 3 - p->axis - along;
    (void)worker;
    for (int32_t line = 0; line < d->n[lines]; line++) {
        size_t at = (size_t)plane * stride[along] + (size_t)line * stride[lines];
        float before = d->v[p->axis][at];
        for (int32_t i = 1; i + 1 < d->n[p->axis]; i++) {
            at += up;
            float *v = d->v[p->axis] + at, was = *v;
            if (is_known(d, at - up) && is_known(d, at) && is_known(d, at + up)) *v -= (before - 2 * was + v[up]) / 8;
            before = was;
        }
    }
}

/* A file has the mean of a cell's two faces, u + h²/8 u'' + O(h⁴): back to u, but for the rim. */
static void flow_sharpen(struct bw_stage *s, struct dense *d)
{
    for (int axis = 0; axis < 3; axis++)
        s->host->parallel_for(s, d->n[axis == 2 ? 1 : 2], sharpen_plane, &(struct sharpen){d, axis});
}

/* The flow of the next file; what was next is now before. */
static enum bw_status file_next(struct bw_stage *s, int64_t number)
{
    struct flow_state *st = s->state;
    enum bw_status status = cache_open(s, &st->cache, number);
    if (status) return status;
    dense_free(s, &st->before);
    st->before = st->after;
    st->after = (struct dense){.comps = 0};
    const struct grid_request wish = {((const struct flow *)s->params)->grid, 3, 1, 1};
    status = cache_read(s, &st->cache, &wish, &st->lattice, &st->after);
    if (!status && !st->tile) flow_sharpen(s, &st->after);
    if (!status && st->tile) status = solid_read(s);
    if (!status && st->tile) status = smoke_read(s);
    if (!status && st->tile && !st->n_octaves) status = octaves_make(s);
    if (!status && !st->before.comps) {
        status = dense_make(s, &st->before, &st->after, 3);
        for (int c = 0; !status && c < 3; c++)
            memcpy(st->before.v[c], st->after.v[c], dense_count(&st->after) * sizeof(float));
    }
    cache_close(&st->cache);
    st->number = number;
    return status;
}

struct between {
    struct flow_state *st;
    float share; ///< of the later file
};

/* Where one file has no flow the other's counts alone: no smoke is pulled towards the edge of what was kept. */
static void between_plane(int64_t k, uint32_t worker, void *user)
{
    const struct between *b = user;
    struct dense *d = &b->st->now;
    const struct dense *in[2] = {&b->st->before, &b->st->after};
    size_t at = (size_t)d->n[0] * (size_t)d->n[1] * (size_t)k;
    (void)worker;
    for (int32_t j = 0; j < d->n[1]; j++)
        for (int32_t i = 0; i < d->n[0]; i++, at++) {
            float weight[2] = {1 - b->share, b->share}, sum[3] = {0, 0, 0}, whole = 0;
            for (int q = 0; q < 2; q++) {
                int32_t x = d->lo[0] + i - in[q]->lo[0], y = d->lo[1] + j - in[q]->lo[1],
                        z = d->lo[2] + (int32_t)k - in[q]->lo[2];
                if (x < 0 || y < 0 || z < 0 || x >= in[q]->n[0] || y >= in[q]->n[1] || z >= in[q]->n[2]) continue;
                size_t from = (size_t)x + (size_t)in[q]->n[0] * ((size_t)y + (size_t)in[q]->n[1] * (size_t)z);
                float u = in[q]->v[0][from], v = in[q]->v[1][from], w = in[q]->v[2][from];
                if (u == 0 && v == 0 && w == 0) continue;
                sum[0] += weight[q] * u, sum[1] += weight[q] * v, sum[2] += weight[q] * w;
                whole += weight[q];
            }
            for (int c = 0; c < 3; c++) d->v[c][at] = whole > 0 ? sum[c] / whole : 0;
        }
}

static enum bw_status flow_between(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    struct dense both = {.comps = 0};
    for (int a = 0; a < 3; a++) {
        int32_t lo = st->before.lo[a] < st->after.lo[a] ? st->before.lo[a] : st->after.lo[a];
        int32_t e0 = st->before.lo[a] + st->before.n[a], e1 = st->after.lo[a] + st->after.n[a];
        both.lo[a] = lo, both.n[a] = (e0 > e1 ? e0 : e1) - lo;
    }
    enum bw_status status =
        st->now.comps && dense_same_box(&st->now, &both) ? BW_OK : dense_make(s, &st->now, &both, 3);
    double share = 1 - ((double)st->number - s->frame);
    if (!status)
        s->host->parallel_for(s, both.n[2], between_plane, &(struct between){st, (float)fmin(fmax(share, 0), 1)});
    return status;
}

/* ---- the whole flow ---- */

/* Component c of the cache's flow on a block's faces, n of them along each axis. NULL: out of memory. */
static const float *base_expand(const struct bw_block *b, int c, const int32_t n[3])
{
    const struct flow_state *st = b->stage->state;
    struct dense_axis axis[3];
    for (int a = 0; a < 3; a++)
        if (!dense_axis_fill(&axis[a], b, &st->lattice, a, b->lo[a], n[a], a == c ? 0 : .5, DENSE_CUBIC)) return NULL;
    return dense_expand(b, &st->now, c, axis);
}

enum { SUM_BASE, SUM_NOISE, SUMS };

static void flow_body(const struct bw_block *b, void *user)
{
    const struct bw_view *out = &b->view[0], *noise = &b->view[1];
    (void)user;
    for (int c = 0; c < 3; c++) {
        int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
        n[c] += b->high[c];
        const float *base = base_expand(b, c, n);
        if (!base) return;
        for (int32_t k = 0; k < n[2]; k++)
            for (int32_t j = 0; j < n[1]; j++, base += n[0]) {
                float *to = bw_f32(out, c) + j * out->sy + k * out->sz;
                const float *w = bw_f32(noise, c) + j * noise->sy + k * noise->sz;
                for (int32_t i = 0; i < n[0]; i++) to[i] = base[i] + w[i];
                if (k == b->n[2] || j == b->n[1]) continue;
                for (int32_t i = 0; i < b->n[0]; i++)
                    b->sum[SUM_BASE] += base[i] * base[i], b->sum[SUM_NOISE] += w[i] * w[i];
            }
    }
}

static enum bw_status init(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    if (s->grid->thin >= 0)
        return s->host->fail(s, BW_ERR_PRESET, "a domain one cell thick has no room for this noise");
    st->tile = wavelet_make(s, s->seed);
    if (!st->tile) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for the noise");
    return cache_begin(s, &st->cache);
}

static enum bw_status step(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    const struct flow *p = s->params;
    int64_t number = number_at(s);
    int begins = !st->after.comps || number != st->number;
    enum bw_status status = begins ? file_next(s, number) : BW_OK;
    if (!status) status = flow_between(s);
    if (!status && begins) {
        double frame = s->step ? 1 / s->fps : 0; // no time passes in the set-up
        status = spectrum_measure(s, &st->now, p->decay, &st->spectrum);
        if (!status) status = spectrum_mask(s, st->smoke, &st->spectrum);
        if (!status)
            status = texture_advect(s, &st->texture, &st->now, st->lattice.h, s->time + frame, frame, p->renew);
        st->n_noise_tiles = 0;
    }
    if (!status) status = flow_noise(s);
    if (status) return status;
    double sum[SUMS];
    struct bw_access access[] = {{bw_port_field(s, FLOW_VEL), BW_WRITE_OWN, 0},
                                 {bw_port_field(s, FLOW_NOISE), BW_UPDATE_OWN, 0}}; // in place
    status = s->host->sweep(
        s, &(struct bw_sweep){.access = access, .n_access = 2, .body = flow_body, .sums = sum, .n_sums = SUMS});
    if (!status && sum[SUM_BASE] > 0) s->host->metric(s, "added", sum[SUM_NOISE] / sum[SUM_BASE], BW_METRIC_LAST);
    return status;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    const struct flow_state *st = s->state;
    enum bw_status status = flow_checkpoint(s, a);
    return status || !a->restoring || !st->after.comps ? status : octaves_make(s);
}

static void uninit(struct bw_stage *s) { cache_close(&((struct flow_state *)s->state)->cache); }

const struct bw_stage_desc upres_flow_desc = {
    .id = "upres.flow",
    .version = "1.0",
    .brief = "The flow of a finished cache, made finer: what it resolved, and noise with the energy that it lost.",
    .references =
        "Kim, Thürey, James, Gross 2008, SIGGRAPH; Bridson, Hourihan, Nordenstam 2007, SIGGRAPH; Neyret 2003, SCA.",
    .params_size = sizeof(struct flow),
    .state_size = sizeof(struct flow_state),
    .flags = BW_STAGE_SETUP | BW_STAGE_RANKS,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .uninit = uninit,
    .checkpoint = checkpoint,
};

/* ---- resim ---- */

static const struct bw_param resim_params[] = {
    BW_STRING(struct flow, grid, "grid", "vel", "The flow's grid in the files."),
};

static const struct bw_port resim_ports[] = {
    [FLOW_VEL] = {.name = "vel",
                  .kind = BW_MAC,
                  .access = BW_UPDATE,
                  .unit = "m/s",
                  .doc = "The cache's flow at the step's end."},
    {.name = "force",
     .kind = BW_MAC,
     .access = BW_READ_LAST,
     .lifetime = BW_STEP,
     .unit = "m/s^2",
     .doc = "Acceleration by the stages above, which is left out: the flow has had it."},
    {.name = "divergence",
     .kind = BW_SCALAR,
     .access = BW_READ,
     .lifetime = BW_STEP,
     .unit = "1/s",
     .flags = BW_PORT_OPTIONAL,
     .doc = "Expansion of the gas, likewise."},
};

static void resim_body(const struct bw_block *b, void *user)
{
    const struct bw_view *out = &b->view[0];
    (void)user;
    for (int c = 0; c < 3; c++) {
        int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
        n[c] += b->high[c];
        const float *base = base_expand(b, c, n);
        if (!base) return;
        for (int32_t k = 0; k < n[2]; k++)
            for (int32_t j = 0; j < n[1]; j++, base += n[0])
                memcpy(bw_f32(out, c) + j * out->sy + k * out->sz, base, (size_t)n[0] * sizeof *base);
    }
}

static enum bw_status resim_init(struct bw_stage *s) { return cache_begin(s, &((struct flow_state *)s->state)->cache); }

static enum bw_status resim_step(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    const int64_t number = number_at(s);
    enum bw_status status = !st->after.comps || number != st->number ? file_next(s, number) : BW_OK;
    if (!status) status = flow_between(s);
    struct bw_access access[] = {{bw_port_field(s, FLOW_VEL), BW_WRITE_OWN, 0}};
    return status ? status : s->host->sweep(s, &(struct bw_sweep){.access = access, .n_access = 1, .body = resim_body});
}

/* The flow was projected when the cache was baked. */
static enum bw_status nothing_project(struct bw_stage *s, struct bw_field *vel, double dt)
{
    (void)s, (void)vel, (void)dt;
    return BW_OK;
}

static const void *resim_extension(const char *id)
{
    static const struct bw_project_api api = {.size = sizeof api, .project = nothing_project};
    return strcmp(id, BW_PROJECT) != 0 ? cache_extension(id) : &api;
}

const struct bw_stage_desc resim_desc = {
    .id = "resim",
    .version = "1.0",
    .brief =
        "The flow of a finished cache in place of forces and pressure: smoke, fire and tracers go through it anew.",
    .params_size = sizeof(struct flow),
    .state_size = sizeof(struct flow_state),
    .flags = BW_STAGE_SETUP | BW_STAGE_RANKS,
    BW_PARAMS(resim_params),
    BW_PORTS(resim_ports),
    .init = resim_init,
    .step = resim_step,
    .uninit = uninit,
    .checkpoint = flow_checkpoint,
    .extension = resim_extension,
};
