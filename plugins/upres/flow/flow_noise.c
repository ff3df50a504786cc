// SPDX-License-Identifier: Apache-2.0
/* The noise of upres.flow: a vector potential on the corners of a block's cells, and its curl on their faces. What a
 * corner gets depends on its own place alone, so blocks that share it agree to the last bit. */
#include "flow.h"
#include <common/noise/noise_kernels.h>
#include <common/archive.h>
#include <common/tiles.h>

#include <math.h>
#include <string.h>

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
    float *offset[TEXTURES][3], *share[TEXTURES], *amplitude, *distance;
};

static int corners_place(struct corners *c, const struct bw_block *b)
{
    const struct flow_state *st = b->stage->state;
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
    const struct flow_state *st = b->stage->state;
    for (int q = 0; q < TEXTURES; q++) {
        for (int a = 0; a < 3; a++)
            if (!(c->offset[q][a] = dense_expand(b, &st->texture.offset[q], a, c->axis))) return 0;
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
        wavelet_place((g->origin[axis] + (b->lo[axis] + i) * g->h) / spacing, shift, &l->whole[i], &l->part[i]);
        l->wall[i] = 1;
        for (int side = 0; side < 2 && g->n[0]; side++) {
            int32_t away = side ? g->n[axis] - b->lo[axis] - i : b->lo[axis] + i;
            if (g->side[2 * axis + side].kind != BW_OPEN) l->wall[i] *= ramp((float)(away * g->h), (float)spacing);
        }
    }
    return 1;
}

/* How much noise the corners of a row get, n of them from `at` on; rest: what they have in common. */
static void amounts_fill(const struct corners *c, int set, const float *wall, float rest, size_t at, float *amount)
{
    const float *amplitude = c->amplitude + at, *share = c->share[set] + at;
    for (int32_t i = 0; i < c->n[0]; i++) amount[i] = amplitude[i] * share[i] * wall[i] * rest;
}

/* Less towards obstacles. */
static void amounts_damp(const struct corners *c, float band, double reach, size_t at, float *amount)
{
    for (int32_t i = 0; i < c->n[0]; i++)
        amount[i] *= ramp(band - c->distance[at + (size_t)i], (float)fmin(reach, band));
}

/* Add one octave of one set to the potential. */
static int octave_add(const struct bw_block *b, const struct corners *c, int set, int octave, vec4 *psi)
{
    const struct flow_state *st = b->stage->state;
    const struct flow *p = b->stage->params;
    const struct octave *o = &st->octave[octave];
    const struct bw_host *host = b->stage->host;
    uint64_t shift =
        bw_rng(b->stage->seed, (uint64_t)(st->texture.age[set] * TEXTURES + set) * FLOW_OCTAVES + (uint64_t)octave);
    float scale = o->scale * (float)(p->strength * pow(2, -p->decay * octave));
    float *amount = host->body_scratch(b, (size_t)c->n[0] * sizeof *amount);
    struct line l[3];
    if (!amount) return 0;
    for (int a = 0; a < 3; a++)
        if (!line_fill(&l[a], b, a, c->n[a], o->s, (int32_t)(shift >> (8 * a) & (WAVELET_SIZE - 1)))) return 0;
    struct noise_row row = {
        .amount = amount, .whole_x = l[0].whole, .part_x = l[0].part, .per = (float)(1 / o->s), .n = c->n[0]};
    size_t at = 0;
    for (int32_t k = 0; k < c->n[2]; k++)
        for (int32_t j = 0; j < c->n[1]; j++, at += (size_t)c->n[0]) {
            amounts_fill(c, set, l[0].wall, l[1].wall[j] * l[2].wall[k] * scale, at, amount);
            if (c->distance) amounts_damp(c, st->solid_band, o->s, at, amount);
            for (int a = 0; a < 3; a++) row.offset[a] = c->offset[set][a] + at;
            row.whole_y = l[1].whole[j], row.part_y = l[1].part[j];
            row.whole_z = l[2].whole[k], row.part_z = l[2].part[k];
            noise_kernels_for(host->simd)->row(st->tile, &row, psi + at);
        }
    return 1;
}

/* Component `axis` of the curl on its faces: round each face the potential of the four edges, each the mean of its
 * ends. */
static void curl_write(const struct bw_block *b, const struct corners *c, const float *const psi[3], int axis)
{
    const struct noise_kernels *kernels = noise_kernels_for(b->stage->host->simd);
    const struct bw_view *v = &b->view[0];
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    ptrdiff_t stride[3] = {1, c->n[0], (ptrdiff_t)c->n[0] * c->n[1]};
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
    float half = (float)(.5 / b->grid->h);
    n[axis]++;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const ptrdiff_t row = j * stride[1] + k * stride[2];
            kernels->curl(psi[last] + row, psi[next] + row, stride[next], stride[last], half, n[0],
                          bw_f32(v, axis) + j * v->sy + k * v->sz);
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

static int tile_has_noise(const struct flow_state *st, const int32_t at[3])
{
    int64_t lo = 0, hi = st->n_noise_tiles;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (coord_compare(st->noise_tiles[mid], at) < 0) lo = mid + 1;
        else hi = mid;
    }
    return lo < st->n_noise_tiles && coord_compare(st->noise_tiles[lo], at) == 0;
}

static int block_has_noise(const struct bw_block *b)
{
    const int32_t *tile = b->grid->tile;
    int32_t at[3];
    for (int32_t k = 0; k < b->n[2]; k += tile[2])
        for (int32_t j = 0; j < b->n[1]; j += tile[1])
            for (int32_t i = 0; i < b->n[0]; i += tile[0]) {
                int32_t cell[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
                tile_coords(b->grid, cell, at);
                if (!tile_has_noise(b->stage->state, at)) return 0;
            }
    return 1;
}

static void noise_body(const struct bw_block *b, void *user)
{
    const struct flow_state *st = b->stage->state;
    struct corners c;
    (void)user;
    if (block_has_noise(b)) return;
    if (!corners_place(&c, b)) return;
    if (!dense_any(&st->spectrum.fine, 0, c.axis, 0)) {
        zero_fill(b);
        return;
    }
    size_t n = (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2];
    vec4 *psi = b->stage->host->body_scratch(b, n * sizeof *psi);
    float *part = b->stage->host->body_scratch(b, 3 * n * sizeof *part);
    if (!psi || !part || !corners_fill(&c, b)) return;
    memset(psi, 0, n * sizeof *psi);
    for (int octave = 0; octave < st->n_octaves; octave++) {
        if (octave < 2)
            c.amplitude = dense_expand(b, st->octave[octave].fill ? &st->spectrum.fill : &st->spectrum.fine, 0, c.axis);
        if (!c.amplitude) return;
        for (int set = 0; set < TEXTURES; set++)
            if (!octave_add(b, &c, set, octave, psi)) return;
    }
    float *const parts[3] = {part, part + n, part + 2 * n};
    noise_kernels_for(b->stage->host->simd)->split(psi, n, parts);
    for (int axis = 0; axis < 3; axis++) curl_write(b, &c, (const float *const *)parts, axis);
}

/* This frame's noise for the tiles that lack it. */
enum bw_status flow_noise(struct bw_stage *s)
{
    struct flow_state *st = s->state;
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    const struct bw_topology *t = tiles->topology(s->domain);
    size_t bytes = (size_t)t->count * sizeof *t->coord;
    if (st->n_noise_tiles == t->count && (!bytes || !memcmp(st->noise_tiles, t->coord, bytes))) return BW_OK;
    struct bw_access access[] = {{bw_port_field(s, FLOW_NOISE), st->n_noise_tiles ? BW_UPDATE : BW_WRITE, 0}};
    enum bw_status status =
        s->host->sweep(s, &(struct bw_sweep){.access = access, .n_access = 1, .block = 2, .body = noise_body});
    if (status) return status;
    s->host->release(s, st->noise_tiles);
    st->noise_tiles = s->host->alloc(s, bytes + 1);
    st->n_noise_tiles = st->noise_tiles ? t->count : 0;
    if (st->noise_tiles && bytes) memcpy(st->noise_tiles, t->coord, bytes);
    return st->noise_tiles ? BW_OK : BW_ERR_MEMORY;
}

/* ---- between two runs ---- */

static enum bw_status boxes_checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct flow_state *st = s->state;
    const struct {
        const char *name;
        struct dense *d;
    } box[] = {{"before", &st->before},
               {"after", &st->after},
               {"solid", &st->solid},
               {"smoke", &st->smoke[1]},
               {"fill", &st->spectrum.fill},
               {"fine", &st->spectrum.fine},
               {"way 1", &st->texture.offset[0]},
               {"way 2", &st->texture.offset[1]},
               {"share 1", &st->texture.share[0]},
               {"share 2", &st->texture.share[1]}};
    enum bw_status status = BW_OK;
    for (size_t i = 0; !status && i < BW_COUNT(box); i++) status = dense_checkpoint(s, a, box[i].name, box[i].d);
    return status;
}

enum bw_status flow_checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct flow_state *st = s->state;
    a->bytes(a, "number", &st->number, sizeof st->number);
    a->bytes(a, "lattice", &st->lattice, sizeof st->lattice);
    a->bytes(a, "solid_lattice", &st->solid_lattice, sizeof st->solid_lattice);
    a->bytes(a, "solid_band", &st->solid_band, sizeof st->solid_band);
    a->bytes(a, "age", st->texture.age, sizeof st->texture.age);
    enum bw_status status = a->bytes(a, "known", &st->n_noise_tiles, sizeof st->n_noise_tiles);
    const size_t bytes = status ? 0 : (size_t)st->n_noise_tiles * sizeof *st->noise_tiles;
    st->noise_tiles = archive_array(s, a, "tiles", st->noise_tiles, bytes, &status);
    for (int i = 0; !status && i < 3; i++)
        if (!isfinite(st->lattice.h + st->lattice.origin[i] + st->solid_lattice.h + st->solid_lattice.origin[i]))
            status = s->host->fail(s, BW_ERR_IO, "checkpoint: the cache's lattice is none");
    return status ? status : boxes_checkpoint(s, a);
}
