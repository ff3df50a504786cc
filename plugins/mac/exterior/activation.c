// SPDX-License-Identifier: Apache-2.0
/* The velocity of a newly activated tile.
 *
 * Nothing was stored there. Air that only pressure has moved has neither rotation nor divergence, so its velocity is a
 * boundary integral (Helmholtz decomposition, Biot–Savart) over any surface around the rest: here the boundary of the
 * old active region, with the velocity u and the outward normal n,
 *     u(x) = Int ((n·u) r + (n×u)×r) / (4 pi |r|³) dS,  r = x - x'
 * (2 pi |r|² in two dimensions), with mirror images behind closed sides. A flow that does not fall off outwards, such
 * as wind, adds nothing to the integral: what the integral lacks of the boundary's velocity is added to the new tiles
 * as a uniform flow. The sum runs over faces nearby, over patches of 4×4 faces and whole sides farther off. It is
 * evaluated on nodes 4 cells apart; between them it is cubic. */
#include "activation.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { NEAR_FACES = 24, NEAR_PATCHES = 56 }; ///< cells from a tile's middle to a side's, in 3D

/* ---- boundary sides ---------------------------------------------------------------------------------------------- */

/// Is a side of an old tile part of the boundary? Closed sides of the box are not: they have images.
static int side_is_boundary(const struct multigrid *mg, const struct bw_topology *t, int64_t tile, int s)
{
    const int a = mg->shape.axis[s >> 1], side = 2 * a + (s & 1);
    const int32_t n = t->neighbour[tile][side];
    if (n == BW_TILE_OUTSIDE) return mg->stage->grid->side[side].kind == BW_OPEN;
    return n < 0 || t->born[n];
}

/// Numbers boundary sides and new tiles; returns the number of sides.
static int64_t sides_number(struct activation *b, const struct multigrid *mg, const struct bw_topology *t)
{
    int64_t n = 0;
    b->n_tiles = 0;
    for (int64_t i = 0; i < t->count; i++) {
        b->new_of[i] = t->born[i] ? (int32_t)b->n_tiles++ : -1;
        for (int s = 0; s < 6; s++)
            b->side_of[i][s] =
                s < 2 * mg->shape.dim && !t->born[i] && side_is_boundary(mg, t, i, s) ? (int32_t)n++ : -1;
    }
    return n;
}

static size_t node_count(const struct multigrid *mg) { return mg->shape.dim == 3 ? 64 : 256; }

/// Allocates and fills the lists of sides and of new tiles. 0: out of memory.
static int activation_fit(struct activation *b, const struct multigrid *mg, const struct bw_topology *t)
{
    const size_t n = (size_t)t->count, tables = n * (sizeof *b->side_of + sizeof *b->new_of);
    if (!mg_buffer_reserve(mg->stage, &b->memory, tables + 512)) return 0;
    struct mg_arena m = {b->memory.data, 0};
    b->side_of = mg_arena_take(&m, n * sizeof *b->side_of);
    b->new_of = mg_arena_take(&m, n * sizeof *b->new_of);
    b->n_sides = sides_number(b, mg, t);
    if (!b->n_tiles || !b->n_sides) return 1;
    const size_t tiles = (size_t)b->n_tiles, sides = (size_t)b->n_sides, nodes = node_count(mg) * sizeof *b->tile->node;
    if (!mg_buffer_reserve(mg->stage, &b->memory,
                           tables + sides * sizeof *b->side + tiles * (sizeof *b->tile + nodes) + 1024))
        return 0;
    m = (struct mg_arena){b->memory.data, 0};
    b->side_of = mg_arena_take(&m, n * sizeof *b->side_of);
    b->new_of = mg_arena_take(&m, n * sizeof *b->new_of);
    b->side = mg_arena_take(&m, sides * sizeof *b->side);
    b->tile = mg_arena_take(&m, tiles * sizeof *b->tile);
    sides_number(b, mg, t);
    for (int64_t i = 0; i < t->count; i++) {
        for (int s = 0; s < 6; s++)
            if (b->side_of[i][s] >= 0) {
                b->side[b->side_of[i][s]].tile = (int32_t)i;
                b->side[b->side_of[i][s]].side = s;
            }
        if (b->new_of[i] < 0) continue;
        struct new_tile *to = &b->tile[b->new_of[i]];
        *to = (struct new_tile){.tile = (int32_t)i, .node = mg_arena_take(&m, nodes)};
    }
    return 1;
}

/// The velocity on one face of a side: the normal component is the face's own, the others are extrapolated linearly.
static void face_read(const struct activation *t, const struct bw_block *b, const int32_t n[3], int s, int32_t at[3],
                      float u[3])
{
    const struct mg_shape *sh = &t->mg->shape;
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t stride[3] = {1, v->sy, v->sz};
    const int a = s >> 1;
    for (int q = 0; q < sh->dim; q++) {
        const float *f = bw_f32(v, sh->axis[q]);
        ptrdiff_t cell[2] = {0};
        for (int depth = 0; depth < 2; depth++) {
            const int inward = depth < n[a] ? depth : n[a] - 1; // the box may cut a tile to one cell
            at[a] = s & 1 ? n[a] - 1 - inward : inward;
            for (int p = 0; p < 3; p++) cell[depth] += at[p] * stride[sh->axis[p]];
        }
        const ptrdiff_t up = stride[sh->axis[q]];
        if (q == a) u[q] = f[cell[0] + (s & 1 ? up : 0)];
        else u[q] = .75f * (f[cell[0]] + f[cell[0] + up]) - .25f * (f[cell[1]] + f[cell[1] + up]);
        u[q] -= (float)t->background[sh->axis[q]];
    }
}

static void side_read(const struct activation *t, const struct bw_block *b, struct boundary_side *k)
{
    const struct mg_shape *sh = &t->mg->shape;
    const int dim = sh->dim, a = k->side >> 1, u = (a + 1) % dim, v = (a + 2) % 3, edge = sh->edge[0];
    const int32_t n[3] = {b->n[sh->axis[0]], b->n[sh->axis[1]], b->n[sh->axis[2]]};
    int32_t at[3] = {0};
    k->n[0] = n[u], k->n[1] = dim == 3 ? n[v] : 1;
    memset(k->u, 0, sizeof k->u);
    memset(k->patch, 0, sizeof k->patch);
    memset(k->sum, 0, sizeof k->sum);
    for (int j = 0; j < k->n[1]; j++)
        for (int i = 0; i < k->n[0]; i++) {
            float *face = k->u[j * edge + i], *patch = k->patch[dim == 3 ? j / 4 * 4 + i / 4 : i / 4];
            at[u] = i;
            if (dim == 3) at[v] = j;
            face_read(t, b, n, k->side, at, face);
            for (int q = 0; q < 3; q++) {
                patch[q] += face[q];
                k->sum[q] += face[q];
            }
        }
}

static void block_read_sides(const struct bw_block *b, void *user)
{
    const struct activation *t = user;
    const int64_t tile = tile_of_block(t->tiles, b);
    for (int s = 0; s < 2 * t->mg->shape.dim; s++)
        if (t->side_of[tile][s] >= 0) side_read(t, b, &t->side[t->side_of[tile][s]]);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/// Adds a side's part of the boundary integral to the nodes of an image of a tile.
static void side_sum(struct far_velocity_nodes *k, const struct far_field_kernels *kernels, const struct multigrid *mg,
                     const struct boundary_side *s, const struct far_image *image, const double middle[3])
{
    const int dim = mg->shape.dim, edge = mg->shape.edge[0], a = s->side >> 1, u = (a + 1) % dim, v = (a + 2) % 3;
    const float out = s->side & 1 ? 1 : -1;
    double offset[3] = {0}, r = 0; // of the side's middle from the tile's
    for (int q = 0; q < dim; q++) {
        offset[q] = -far_displacement(
            image, q, (mg->level->coord[s->tile][q] + .5) * edge - .5 + (q == a ? out * .5 * edge : 0), middle[q]);
        r += offset[q] * offset[q];
    }
    r = sqrt(r) * 16 / edge;
    const int pieces = r > NEAR_PATCHES ? 1 : r > NEAR_FACES ? 16 : dim == 3 ? 256 : 64;
    const int across = pieces == 1 ? 1 : dim == 3 ? (pieces == 16 ? 4 : 16) : pieces;
    const float(*value)[3] = pieces == 1 ? &s->sum : pieces == 16 ? s->patch : s->u;
    for (int e = 0; e < pieces; e++) {
        float at[3];
        for (int q = 0; q < 3; q++) at[q] = (float)offset[q];
        at[u] += (float)(((e % across + .5) / across - .5) * edge);
        if (dim == 3) at[v] += (float)(((e / across + .5) / across - .5) * edge);
        kernels->side_velocity(k, dim, at, value[e], a, out);
    }
}

/// The boundary integral on a new tile's nodes.
static void tile_node_velocities(const struct activation *b, const struct multigrid *mg, struct new_tile *to)
{
    const int dim = mg->shape.dim, edge = mg->shape.edge[0], per = edge / FAR_STEP;
    const double norm = dim == 3 ? 4 * PI : 2 * PI;
    struct far_velocity_nodes k;
    memset(to->node, 0, node_count(mg) * sizeof *to->node);
    for (int i = 0; i < b->images; i++) {
        const struct far_image *image = &b->image[i];
        double middle[3] = {0};
        memset(&k, 0, sizeof k);
        k.n = (int)node_count(mg);
        for (int q = 0; q < dim; q++) {
            middle[q] = (mg->level->coord[to->tile][q] + .5) * edge - .5;
            for (int e = 0; e < k.n; e++) {
                const int place = q == 0 ? e % per : q == 1 ? e / per % per : e / (per * per);
                k.x[q][e] = image->sign[q] * ((float)(place * FAR_STEP + 2) - .5f * (float)edge);
            }
        }
        for (int64_t s = 0; s < b->n_sides; s++)
            side_sum(&k, far_field_kernels_for(mg->stage->host->simd), mg, &b->side[s], image, middle);
        for (int e = 0; e < k.n; e++)
            for (int q = 0; q < dim; q++) to->node[e][q] += image->sign[q] * k.sum[q][e] / (float)norm;
    }
}

/// Cubic interpolation of the nodes' velocity at a place in a tile, cells from its first cell's middle.
static void nodes_interpolate(const struct multigrid *mg, const struct new_tile *b, const double x[3], float u[3])
{
    const int dim = mg->shape.dim, per = mg->shape.edge[0] / FAR_STEP;
    double w[3][4] = {{1}, {1}, {1}};
    int first[3] = {0};
    for (int q = 0; q < dim; q++) first[q] = far_lagrange_weights(per, x[q], w[q]);
    double sum[3] = {0};
    for (int k = 0; k < (dim == 3 ? 4 : 1); k++)
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++) {
                const float *node = b->node[((first[2] + k) * per + first[1] + j) * per + first[0] + i];
                const double all = w[0][i] * w[1][j] * w[2][k];
                for (int q = 0; q < 3; q++) sum[q] += all * (double)node[q];
            }
    for (int q = 0; q < 3; q++) u[q] = (float)sum[q];
}

/// Adds what the boundary integral lacks on one side that touches a new tile, by patches, so that mirrored and turned
/// tiles add up the same. Returns the number of faces.
static double side_lack(const struct multigrid *mg, const struct new_tile *to, const struct boundary_side *side, int s,
                        double sum[3])
{
    const int dim = mg->shape.dim, edge = mg->shape.edge[0], a = s >> 1, u = (a + 1) % dim, v = (a + 2) % 3;
    double faces = 0;
    for (int p = 0; p < 16; p++) {
        const int at[2] = {dim == 3 ? p % 4 * 4 : p * 4, dim == 3 ? p / 4 * 4 : 0}; // the patch's first face
        int n[2] = {1, 1};
        for (int e = 0; e < dim - 1; e++) n[e] = side->n[e] - at[e] < 4 ? side->n[e] - at[e] : 4;
        if (n[0] <= 0 || n[1] <= 0) continue;
        double x[3] = {0};
        float here[3];
        x[a] = s & 1 ? edge - .5 : -.5;
        x[u] = at[0] + .5 * (n[0] - 1);
        if (dim == 3) x[v] = at[1] + .5 * (n[1] - 1);
        nodes_interpolate(mg, to, x, here);
        for (int q = 0; q < dim; q++) sum[q] += (double)side->patch[p][q] - n[0] * n[1] * (double)here[q];
        faces += n[0] * n[1];
    }
    return faces;
}

/// The uniform flow of a new tile: velocity on adjacent boundary faces less the boundary integral there, on average.
static void tile_uniform(const struct activation *b, const struct multigrid *mg, struct new_tile *to)
{
    double sum[3] = {0}, count = 0;
    for (int s = 0; s < 2 * mg->shape.dim; s++) {
        const int32_t other = mg->level->neighbour[to->tile][s];
        const int32_t boundary = other >= 0 ? b->side_of[other][s ^ 1] : -1;
        if (boundary >= 0) count += side_lack(mg, to, &b->side[boundary], s, sum);
    }
    for (int q = 0; q < mg->shape.dim && count > 0; q++) to->uniform[q] = (float)(sum[q] / count);
    to->known = count > 0;
}

struct job {
    struct activation *b;
    const struct multigrid *mg;
};

static void tile_find(int64_t i, uint32_t worker, void *user)
{
    const struct job *j = user;
    (void)worker;
    tile_node_velocities(j->b, j->mg, &j->b->tile[i]);
    tile_uniform(j->b, j->mg, &j->b->tile[i]);
}

/// New tiles that touch no old one take the mean uniform flow of their neighbours, layer by layer.
static void uniform_spread(struct activation *b, const struct multigrid *mg)
{
    for (int found = 1, layer = 1; found; layer++) {
        found = 0;
        for (int64_t i = 0; i < b->n_tiles; i++) {
            struct new_tile *to = &b->tile[i];
            float sum[3] = {0}, count = 0;
            for (int s = 0; s < 2 * mg->shape.dim && !to->known; s++) {
                const int32_t other = mg->level->neighbour[to->tile][s], n = other >= 0 ? b->new_of[other] : -1;
                if (n < 0 || b->tile[n].known <= 0 || b->tile[n].known > layer) continue;
                for (int q = 0; q < 3; q++) sum[q] += b->tile[n].uniform[q];
                count++;
            }
            if (!(count > 0)) continue;
            for (int q = 0; q < 3; q++) to->uniform[q] = sum[q] / count;
            to->known = layer + 1;
            found = 1;
        }
    }
}

/* ---- the tiles --------------------------------------------------------------------------------------------------- */

/// Cubic interpolation of the nodes' component q to its faces i = 0 … n-1 of row (j, k).
static void row_interpolate(const struct multigrid *mg, const struct new_tile *b, int q, int j, int k, int n,
                            float *row)
{
    const int dim = mg->shape.dim, per = mg->shape.edge[0] / FAR_STEP;
    double v[4], w[4] = {1}, line[16] = {0};
    const int first_j = far_lagrange_weights(per, j - (q == 1 ? .5 : 0), v),
              first_k = dim == 3 ? far_lagrange_weights(per, k - (q == 2 ? .5 : 0), w) : 0;
    for (int e = 0; e < (dim == 3 ? 4 : 1); e++)
        for (int d = 0; d < 4; d++)
            for (int i = 0; i < per; i++)
                line[i] += w[e] * v[d] * (double)b->node[((first_k + e) * per + first_j + d) * per + i][q];
    for (int i = 0; i < n; i++) {
        const int first = far_lagrange_weights(per, i - (q == 0 ? .5 : 0), v);
        row[i] = (float)(v[0] * line[first] + v[1] * line[first + 1] + v[2] * line[first + 2] + v[3] * line[first + 3]);
    }
}

/// A row of faces of one field, `step` apart.
struct face_row {
    float *f;
    ptrdiff_t step;
};

static struct face_row faces_at(const struct bw_view *v, const struct mg_shape *sh, int q, int j, int k)
{
    const ptrdiff_t stride[3] = {1, v->sy, v->sz};
    float *f = bw_f32(v, sh->axis[q]) + j * stride[sh->axis[1]] + k * stride[sh->axis[2]];
    return (struct face_row){f, stride[sh->axis[0]]};
}

/// Sets a row of faces: `advected` to the flow, `vel` to the flow plus what forces have added; without advected.f, the
/// flow alone.
static void row_fill(struct face_row vel, struct face_row advected, const float *flow, int first, int n)
{
    for (int i = first; i < n; i++) {
        float *v = vel.f + i * vel.step, *c = advected.f ? advected.f + i * advected.step : NULL;
        *v = c ? flow[i] + (*v - *c) : flow[i];
        if (c) *c = flow[i];
    }
}

/// The flow on a row of faces 0 … n[0] of a new tile. Faces that two new tiles share have the mean of both; `below`:
/// the one on the low side of axis q, NULL: none.
static void row_flow(const struct activation *t, const struct new_tile *b, const struct new_tile *below, int q, int j,
                     int k, const int32_t n[3], float *row)
{
    const float background = (float)t->background[t->mg->shape.axis[q]];
    const int edge = t->mg->shape.edge[0], first = q == 0 ? 0 : q == 1 ? j : k; // along q
    float other[65];
    row_interpolate(t->mg, b, q, j, k, n[0] + 1, row);
    for (int i = 0; i <= n[0]; i++) row[i] += background + b->uniform[q];
    if (!below || first > 0) return;
    row_interpolate(t->mg, below, q, q == 1 ? edge : j, q == 2 ? edge : k, (q == 0 ? edge : n[0]) + 1, other);
    const float *end = q == 0 ? other + edge : other;
    for (int i = 0; i < (q == 0 ? 1 : n[0]); i++) row[i] = .5f * (row[i] + (end[i] + background + below->uniform[q]));
}

static void tile_fill(const struct bw_block *b, void *user)
{
    const struct activation *t = user;
    const struct mg_shape *sh = &t->mg->shape;
    const int64_t tile = tile_of_block(t->tiles, b);
    if (t->new_of[tile] < 0) return;
    const struct new_tile *from = &t->tile[t->new_of[tile]];
    const int32_t n[3] = {b->n[sh->axis[0]], b->n[sh->axis[1]], b->n[sh->axis[2]]};
    for (int q = 0; q < sh->dim; q++) {
        const int32_t low = t->mg->level->neighbour[tile][2 * q];
        const int kept = low >= 0 && t->new_of[low] < 0; // those faces are the old tile's
        const int high = b->high[sh->axis[q]] != 0;      // else those faces are the next tile's
        const struct new_tile *below = low >= 0 && !kept ? &t->tile[t->new_of[low]] : NULL;
        float row[65];
        for (int k = kept && q == 2; k < n[2] + (q == 2 && high); k++)
            for (int j = kept && q == 1; j < n[1] + (q == 1 && high); j++) {
                row_flow(t, from, below, q, j, k, n, row);
                row_fill(faces_at(&b->view[0], sh, q, j, k),
                         t->has_advected ? faces_at(&b->view[1], sh, q, j, k) : (struct face_row){NULL, 0}, row,
                         kept && q == 0, n[0] + (q == 0 && high));
            }
    }
}

static int reach_high(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)b, (void)row, (void)user;
    reach[0] = reach[2] = reach[4] = 0;
    return 1;
}

/* All-gather of the boundary sides; by side of a tile, since rows go by tile. */
static enum bw_status sides_allgather(struct activation *b, struct bw_stage *s, const struct bw_topology *t)
{
    int32_t *slot = s->host->scratch(s, (size_t)t->count * sizeof *slot);
    enum bw_status status = slot ? BW_OK : BW_ERR_MEMORY;
    for (int side = 0; side < 6 && status == BW_OK; side++) {
        for (int64_t i = 0; i < t->count; i++) slot[i] = b->side_of[i][side];
        status = ranks_allgather(s, b->side, slot, sizeof *b->side);
    }
    return status;
}

enum bw_status activation_fill(struct activation *b, const struct multigrid *mg, const struct bw_topology *t,
                               struct bw_field *vel, struct bw_field *advected)
{
    struct bw_stage *s = mg->stage;
    struct job j = {b, mg};
    struct bw_access access[] = {{advected ? advected : vel, BW_READ, 1}, {advected, BW_UPDATE_OWN, 0}};
    struct bw_sweep sweep = {.access = access, .n_access = 1, .body = block_read_sides, .reach = reach_high, .user = b};
    b->mg = mg;
    b->tiles = s->host->extension(BW_TILES);
    b->background = s->host->field_info(vel)->background;
    if (!activation_fit(b, mg, t)) return BW_ERR_MEMORY;
    if (!b->n_tiles || !b->n_sides) return BW_OK;
    enum bw_status status = s->host->sweep(s, &sweep);
    if (status == BW_OK) status = sides_allgather(b, s, t);
    if (status != BW_OK) return status;
    b->images = far_images(mg, t, b->image);
    s->host->parallel_for(s, b->n_tiles, tile_find, &j);
    uniform_spread(b, mg);
    access[0] = (struct bw_access){vel, BW_UPDATE_OWN, 0};
    b->has_advected = advected != NULL;
    sweep.n_access = advected ? 2 : 1;
    sweep.body = tile_fill;
    return s->host->sweep(s, &sweep);
}
