// SPDX-License-Identifier: Apache-2.0
/* upres.flow: the flow of a finished cache on a finer domain, with the turbulence that the cache could not resolve.
 *
 *     u = I(u_base) + curl(Ψ),   Ψ = Σ_octaves Σ_sets A · share / gain · N((x + way) / s)
 *
 * I: Catmull-Rom's tricubic from the cache's cells, linear in time between its frames. N: wavelet noise (noise.h) of
 * lattice spacing s = 1.3 h_base, half of that … while its waves have two cells of the domain or more. A: rms
 * velocity of the octave, from the cache's own energy (texture.c); gain: what the curl makes of unit noise.
 * Ψ lives on the corners of the cells, an edge takes the mean of its two ends, and the curl is taken edge by edge round
 * each face: what flows into a cell flows out of it to rounding, with amplitudes and coordinates that differ from place
 * to place, across all blocks. Towards obstacles (`solid` in the cache) and closed sides Ψ goes to 0 within a lattice
 * cell, so that no noise crosses them (Bridson, Hourihan, Nordenstam, "Curl-noise", SIGGRAPH 2007).
 * Noise is made once a frame, in later substeps only for tiles that woke.
 * Kim, Thürey, James, Gross, "Wavelet turbulence for fluid simulation", SIGGRAPH 2008. Their 5/6 for `decay` makes E(k)
 * fall with k^-8/3, for an octave holds E(k) dk with dk ~ k; Kolmogorov's -5/3 is a decay of 1/3. */
#include "upres.h"

#include "cache.h"
#include "noise.h"
#include "texture.h"

#include <math.h>
#include <string.h>

enum { BANDS_MAX = 5 };

/* Of the curl's energy on a lattice of spacing s, 84 % lies in wavelengths of 2s/1.3 to 4s/1.3, 7 % longer, 9 %
 * shorter: the corners of the lattice's spectrum are finer than its edges. (On s itself a whole 40 % would be finer
 * than 2s.) */
static const double SPREAD = 1.3;

struct flow {
    const char *grid;
    double strength, decay, renew;
};

static const struct bw_param params[] = {
    BW_STRING(struct flow, grid, "grid", "vel", "The flow's grid in the files."),
    BW_F64(struct flow, strength, "strength", "1", 0, 20, NULL,
           "The noise's velocity, times what the cache's own energy asks for."),
    BW_F64(struct flow, decay, "decay", "0.8333333333333333", 0, 4, NULL,
           "Each octave has 2^-decay of the velocity of the one before: 5/6 as in wavelet turbulence, 1/3 for "
           "Kolmogorov's spectrum."),
    {.key = "renew",
     .type = BW_PARAM_F64,
     .offset = BW_OFFSET(struct flow, renew, double),
     .def = "0.3 s",
     .min = 0,
     .max = 1e6,
     .unit = "s",
     .flags = BW_PARAM_MIN_OPEN | BW_PARAM_STATIC,
     .doc = "How long a set of texture coordinates is carried before it begins anew."},
};

enum { PORT_VEL, PORT_NOISE };
static const struct bw_port ports[] = {
    {.name = "vel",
     .kind = BW_MAC,
     .access = BW_WRITE,
     .unit = "m/s",
     .doc = "The cache's flow and the noise.",
     .flags = BW_PORT_ADVECTED},
    {.name = "noise",
     .kind = BW_MAC,
     .access = BW_UPDATE,
     .unit = "m/s",
     .doc = "The noise alone.",
     .flags = BW_PORT_PRIVATE},
};

struct band {
    double s;    ///< lattice spacing, m
    float scale; ///< potential for an amplitude of 1 m/s, times m
    int fill;    ///< takes the amplitude that the cache lacks, not one derived from finer energy
};

struct state {
    struct cache cache;
    struct lattice lattice;
    struct dense before, after, now; ///< flow of two files, and between them
    struct dense solid;              ///< one component: band less distance, 0 far away; comps 0: there are no obstacles
    float solid_band;
    struct lattice solid_lattice;
    struct texture texture;
    struct spectrum spectrum;
    const noise_vec *tile;
    struct band band[BANDS_MAX];
    int n_bands;
    int64_t number;      ///< of the file in `after`
    int32_t (*known)[3]; ///< tiles that have this frame's noise, by coordinate
    int64_t n_known;
};

/* ---- the files ---- */

static int64_t number_at(const struct bw_stage *s)
{
    return (int64_t)ceil(s->frame - 1e-6);
}

static enum bw_status solid_read(struct bw_stage *s)
{
    struct state *st = s->state;
    int32_t grid = bwvdb_find(st->cache.file, "solid");
    if (grid < 0) return BW_OK;
    enum bw_status status = cache_read(s, &st->cache, "solid", 1, &st->solid_lattice, &st->solid);
    if (status) return status;
    st->solid_band = (float)fabs(bwvdb_grid_info(st->cache.file, grid)->background[0]);
    for (size_t i = 0; i < dense_count(&st->solid); i++) st->solid.v[0][i] = st->solid_band - st->solid.v[0][i];
    return BW_OK;
}

static enum bw_status bands_make(struct bw_stage *s)
{
    struct state *st = s->state;
    double h = s->grid->h, ratio = st->lattice.h / h;
    if (ratio < 1.5)
        return s->host->fail(
            s, BW_ERR_PRESET,
            "the cache has voxels of %.4g m and this domain %.4g m: half of it or less leaves room for detail",
            st->lattice.h, h);
    double spacing = SPREAD * st->lattice.h;
    for (st->n_bands = 0; st->n_bands < BANDS_MAX && spacing > .99 * SPREAD * h; spacing /= 2) {
        double gain = noise_curl_rms(st->tile, h / spacing) / spacing;
        st->band[st->n_bands] = (struct band){spacing, (float)(1 / gain), st->n_bands == 0};
        st->n_bands++;
    }
    return BW_OK;
}

/* The flow of the next file; what was next is now before. */
static enum bw_status file_next(struct bw_stage *s, int64_t number)
{
    struct state *st = s->state;
    enum bw_status status = cache_open(s, &st->cache, number);
    if (status) return status;
    dense_free(s, &st->before);
    st->before = st->after;
    st->after = (struct dense){.comps = 0};
    status = cache_read(s, &st->cache, ((const struct flow *)s->params)->grid, 3, &st->lattice, &st->after);
    if (!status) status = solid_read(s);
    if (!status && !st->n_bands) status = bands_make(s);
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
    struct state *st;
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
    struct state *st = s->state;
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

/* ---- the noise ---- */

/* 0 at a wall, 1 from `reach` on, smooth. */
static float ramp(float distance, float reach)
{
    float r = distance / reach;
    return r <= 0 ? 0 : r >= 1 ? 1 : r * r * (3 - 2 * r);
}

/* A block's corners: what the coarse boxes say there, and where they lie in the noise's lattice. */
struct corners {
    struct dense_axis axis[3], solid_axis[3];
    int32_t n[3];
    float *way[TEXTURES][3], *share[TEXTURES], *amplitude, *distance;
};

static int corners_place(struct corners *c, const struct bw_block *b)
{
    const struct state *st = b->stage->state;
    for (int a = 0; a < 3; a++) {
        c->n[a] = b->n[a] + 1;
        if (!dense_axis_fill(&c->axis[a], b, &st->lattice, a, b->lo[a], c->n[a], 0, DENSE_SMOOTH)) return 0;
        if (st->solid.comps &&
            !dense_axis_fill(&c->solid_axis[a], b, &st->solid_lattice, a, b->lo[a], c->n[a], 0, DENSE_SMOOTH))
            return 0;
    }
    return 1;
}

static int corners_fill(struct corners *c, const struct bw_block *b)
{
    const struct state *st = b->stage->state;
    for (int q = 0; q < TEXTURES; q++) {
        for (int a = 0; a < 3; a++)
            if (!(c->way[q][a] = dense_expand(b, &st->texture.way[q], a, c->axis))) return 0;
        if (!(c->share[q] = dense_expand(b, &st->texture.share[q], 0, c->axis))) return 0;
    }
    c->distance = NULL;
    if (!st->solid.comps || !dense_any(&st->solid, 0, c->solid_axis, 0)) return 1;
    c->distance = dense_expand(b, &st->solid, 0, c->solid_axis);
    return c->distance != NULL;
}

/* Where corner i of the domain lies in an octave's lattice, whole and part: the same in every block. */
struct line {
    int32_t *whole;
    float *part, *wall; ///< wall: 0 … 1 towards sides that let nothing through
};

static int line_fill(struct line *l, const struct bw_block *b, int axis, int32_t n, double spacing, int32_t shift)
{
    const struct bw_domain_info *g = b->grid;
    l->whole = b->stage->host->body_scratch(b, (size_t)n * sizeof *l->whole);
    l->part = b->stage->host->body_scratch(b, 2 * (size_t)n * sizeof *l->part);
    if (!l->whole || !l->part) return 0;
    l->wall = l->part + n;
    for (int32_t i = 0; i < n; i++) {
        double x = (g->origin[axis] + (b->lo[axis] + i) * g->h) / spacing, low = floor(x);
        l->whole[i] = (int32_t)((int64_t)low & (NOISE_SIZE - 1)) + shift;
        l->part[i] = (float)(x - low);
        l->wall[i] = 1;
        for (int side = 0; side < 2 && g->n[0]; side++) {
            int32_t away = side ? g->n[axis] - b->lo[axis] - i : b->lo[axis] + i;
            if (g->side[2 * axis + side].kind != BW_OPEN) l->wall[i] *= ramp((float)(away * g->h), (float)spacing);
        }
    }
    return 1;
}

/* Add one octave of one set to the potential. */
static int octave_add(const struct bw_block *b, const struct corners *c, int set, int band, noise_vec *psi)
{
    const struct state *st = b->stage->state;
    const struct flow *p = b->stage->params;
    const struct band *o = &st->band[band];
    uint64_t shift =
        bw_rng(b->stage->seed, (uint64_t)(st->texture.age[set] * TEXTURES + set) * BANDS_MAX + (uint64_t)band);
    float per = (float)(1 / o->s), scale = o->scale * (float)(p->strength * pow(2, -p->decay * band));
    struct line l[3];
    for (int a = 0; a < 3; a++)
        if (!line_fill(&l[a], b, a, c->n[a], o->s, (int32_t)(shift >> (8 * a) & (NOISE_SIZE - 1)))) return 0;
    size_t at = 0;
    for (int32_t k = 0; k < c->n[2]; k++)
        for (int32_t j = 0; j < c->n[1]; j++)
            for (int32_t i = 0; i < c->n[0]; i++, at++) {
                float a = c->amplitude[at] * c->share[set][at] * l[0].wall[i] * l[1].wall[j] * l[2].wall[k] * scale;
                if (c->distance) a *= ramp(st->solid_band - c->distance[at], (float)fmin(o->s, st->solid_band));
                if (!(a > 0)) continue;
                int32_t whole[3] = {l[0].whole[i], l[1].whole[j], l[2].whole[k]};
                float part[3] = {l[0].part[i] + per * c->way[set][0][at], l[1].part[j] + per * c->way[set][1][at],
                                 l[2].part[k] + per * c->way[set][2][at]};
                psi[at] += a * noise_at(st->tile, whole, part);
            }
    return 1;
}

/* Component `axis` of the curl on its faces: round each face the potential of the four edges, each the mean of its
 * ends. */
static void curl_take(const struct bw_block *b, const struct corners *c, const noise_vec *psi, int axis)
{
    const struct bw_view *v = &b->view[0];
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    ptrdiff_t stride[3] = {1, c->n[0], (ptrdiff_t)c->n[0] * c->n[1]}, p = stride[next], q = stride[last];
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
    float half = (float)(.5 / b->grid->h), *out = bw_f32(v, axis);
    n[axis]++;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const noise_vec *row = psi + (j * stride[1] + k * stride[2]);
            for (int32_t i = 0; i < n[0]; i++) {
                const noise_vec *o = row + i;
                float up = o[p][last] + o[p + q][last] - o[0][last] - o[q][last];
                float across = o[q][next] + o[p + q][next] - o[0][next] - o[p][next];
                out[i + j * v->sy + k * v->sz] = half * (up - across);
            }
        }
}

static void zero_fill(const struct bw_block *b)
{
    for (int c = 0; c < 3; c++) {
        int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
        n[c]++;
        for (int32_t k = 0; k < n[2]; k++)
            for (int32_t j = 0; j < n[1]; j++)
                memset(bw_f32(&b->view[0], c) + j * b->view[0].sy + k * b->view[0].sz, 0, (size_t)n[0] * sizeof(float));
    }
}

static int coord_compare(const int32_t a[3], const int32_t b[3])
{
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int is_known(const struct state *st, const int32_t at[3])
{
    int64_t lo = 0, hi = st->n_known;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (coord_compare(st->known[mid], at) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < st->n_known && coord_compare(st->known[lo], at) == 0;
}

static int block_known(const struct bw_block *b)
{
    const int32_t *tile = b->grid->tile;
    int32_t at[3];
    for (int32_t k = 0; k < b->n[2]; k += tile[2])
        for (int32_t j = 0; j < b->n[1]; j += tile[1])
            for (int32_t i = 0; i < b->n[0]; i += tile[0]) {
                int32_t cell[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
                for (int a = 0; a < 3; a++) at[a] = (int32_t)floor((double)cell[a] / tile[a]);
                if (!is_known(b->stage->state, at)) return 0;
            }
    return 1;
}

static void noise_body(const struct bw_block *b, void *user)
{
    const struct state *st = b->stage->state;
    struct corners c;
    (void)user;
    if (block_known(b)) return;
    if (!corners_place(&c, b)) return;
    if (!dense_any(&st->spectrum.fine, 0, c.axis, 0)) {
        zero_fill(b);
        return;
    }
    size_t n = (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2];
    noise_vec *psi = b->stage->host->body_scratch(b, n * sizeof *psi);
    if (!psi || !corners_fill(&c, b)) return;
    memset(psi, 0, n * sizeof *psi);
    for (int band = 0; band < st->n_bands; band++) {
        if (band < 2)
            c.amplitude = dense_expand(b, st->band[band].fill ? &st->spectrum.fill : &st->spectrum.fine, 0, c.axis);
        if (!c.amplitude) return;
        for (int set = 0; set < TEXTURES; set++)
            if (!octave_add(b, &c, set, band, psi)) return;
    }
    for (int axis = 0; axis < 3; axis++) curl_take(b, &c, psi, axis);
}

/* This frame's noise for the tiles that lack it. */
static enum bw_status noise_make_all(struct bw_stage *s)
{
    struct state *st = s->state;
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    const struct bw_topology *t = tiles->topology(s->domain);
    size_t bytes = (size_t)t->count * sizeof *t->coord;
    if (st->n_known == t->count && !memcmp(st->known, t->coord, bytes)) return BW_OK;
    struct bw_access access[] = {{bw_port_field(s, PORT_NOISE), BW_UPDATE, 0}};
    enum bw_status status =
        s->host->sweep(s, &(struct bw_sweep){.access = access, .n_access = 1, .block = 2, .body = noise_body});
    if (status) return status;
    s->host->release(s, st->known);
    st->known = s->host->alloc(s, bytes + 1);
    st->n_known = st->known ? t->count : 0;
    if (st->known) memcpy(st->known, t->coord, bytes);
    return st->known ? BW_OK : BW_ERR_MEMORY;
}

/* ---- the whole flow ---- */

enum { SUM_BASE, SUM_NOISE, SUMS };

static void flow_body(const struct bw_block *b, void *user)
{
    const struct state *st = b->stage->state;
    const struct bw_view *out = &b->view[0], *noise = &b->view[1];
    (void)user;
    for (int c = 0; c < 3; c++) {
        struct dense_axis axis[3];
        int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
        n[c]++;
        for (int a = 0; a < 3; a++)
            if (!dense_axis_fill(&axis[a], b, &st->lattice, a, b->lo[a], n[a], a == c ? 0 : .5, DENSE_CUBIC)) return;
        const float *base = dense_expand(b, &st->now, c, axis);
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
    struct state *st = s->state;
    if (s->grid->thin >= 0)
        return s->host->fail(s, BW_ERR_PRESET, "a domain one cell thick has no room for this noise");
    st->tile = noise_make(s, s->seed);
    if (!st->tile) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for the noise");
    return cache_begin(s, &st->cache);
}

static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    const struct flow *p = s->params;
    int64_t number = number_at(s);
    int begins = !st->after.comps || number != st->number;
    enum bw_status status = begins ? file_next(s, number) : BW_OK;
    if (!status) status = flow_between(s);
    if (!status && begins) {
        double frame = s->step ? 1 / s->fps : 0; // the set-up is no frame's way
        status = spectrum_measure(s, &st->now, p->decay, &st->spectrum);
        if (!status) status = texture_carry(s, &st->texture, &st->now, st->lattice.h, s->time + frame, frame, p->renew);
        st->n_known = 0;
    }
    if (!status) status = noise_make_all(s);
    if (status) return status;
    double sum[SUMS];
    struct bw_access access[] = {{bw_port_field(s, PORT_VEL), BW_WRITE, 0}, {bw_port_field(s, PORT_NOISE), BW_READ, 1}};
    status = s->host->sweep(
        s, &(struct bw_sweep){
               .access = access, .n_access = 2, .block = 2, .body = flow_body, .sums = sum, .n_sums = SUMS});
    if (!status && sum[SUM_BASE] > 0) s->host->metric(s, "added", sum[SUM_NOISE] / sum[SUM_BASE], BW_METRIC_LAST);
    return status;
}

static void uninit(struct bw_stage *s)
{
    cache_close(&((struct state *)s->state)->cache);
}

const struct bw_stage_desc upres_flow_desc = {
    .id = "upres.flow",
    .version = "1.0",
    .brief = "The flow of a finished cache, made finer: what it resolved, and noise with the energy that it lost.",
    .references =
        "Kim, Thürey, James, Gross 2008, SIGGRAPH; Bridson, Hourihan, Nordenstam 2007, SIGGRAPH; Neyret 2003, SCA.",
    .params_size = sizeof(struct flow),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_SETUP,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .uninit = uninit,
};
