// SPDX-License-Identifier: Apache-2.0
/* Subgrid mixing of smoke: eddies that cells do not resolve thin its edges out where it is old and the flow shears.
 *
 *     dq/dt = div(K grad q),   K = C h |du| a²/(a² + T²),   T = 8 sqrt(R/g)
 * with du the change of the flow from cell to cell across a face (the structure function of Metais and Lesieur, J.
 * Fluid Mech. 239, 1992), a the age of the smoke on both sides of it, and R the radius of the largest source: what has
 * just come out of it is whole, and what has turned over some times is mixed, so that by Froude's law a candle's smoke
 * and a house's thin alike. Of the density, of density times age, so that ages mix by mass, and of vectors that are
 * advected with it (dyes); not of heat, which drives the flow.
 *
 * Explicit, one sweep at the step's start: each face exchanges K dt/h² of the difference, a sixth at most, so that
 * values keep their bounds in any step. What leaves a cell enters the next: sums stay, to rounding. Nothing passes
 * into obstacles, inactive tiles and out of the box. */
#include "advect_pass.h"
#include "kernels/mixing_kernels.h"
#include <common/froude.h>
#include <common/ranks.h>
#include <common/stage_find.h>
#include <string.h>

#define STRENGTH 0.2 // C
#define TURNS 8.0    // of sqrt(R/g)

enum { VIEW_VEL, VIEW_FIELDS }; ///< then obstacles
enum { N_WEIGHED = 2, MOST_FIELDS = 6 };

struct mixing {
    struct pass *pass;
    const struct bw_topology *topology;
    struct bw_field *field[MOST_FIELDS]; ///< N_WEIGHED: smoke and age; then vectors
    uint32_t n_fields, solid;            ///< of obstacles the view, 0: there are none
    float number, young;                 ///< as of struct mixing_faces
};

/// Memory of a block.
struct mixing_memory {
    uint8_t *smoky;   ///< by row, from one below the block's first: does it hold smoke, or the cells at its ends?
    float *share;     ///< of the faces along an axis
    ptrdiff_t ny, nz; ///< its strides
};

static bool tile_holds(const struct mixing *m, int64_t tile) { return tile >= 0 && m->pass->smoky[tile]; }

/* Is there smoke in the block or beside it? */
static bool block_is_near(const struct bw_block *b, const struct mixing *m)
{
    const int64_t tile = tile_of_block(m->pass->tiles, b);
    bool near = tile_holds(m, tile);
    for (int side = 0; side < 6; side++) near = near || tile_holds(m, m->topology->neighbour[tile][side]);
    return near;
}

/* Of the velocity one cell more above, for high faces. Away from smoke there is nothing to read, but a dye, which may
 * be where none is. */
static int mixing_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct mixing *m = user;
    const bool near = block_is_near(b, m);
    for (int side = 0; side < 6; side++) reach[side] = near && !(row == VIEW_VEL && side % 2 == 0) ? reach[side] : near;
    if (near) return 1;
    const bool field = row >= VIEW_FIELDS && row < VIEW_FIELDS + 2 * m->n_fields;
    return field && (row >= VIEW_FIELDS + 2 * N_WEIGHED || (row - VIEW_FIELDS) % 2);
}

/* Of a field as it was; the next is what it becomes. */
static const struct bw_view *view_of(const struct bw_block *b, uint32_t q) { return &b->view[VIEW_FIELDS + 2 * q]; }

static ptrdiff_t step_along(const struct bw_view *v, int axis) { return axis == 0 ? 1 : axis == 1 ? v->sy : v->sz; }

static bool memory_take(const struct bw_block *b, struct mixing_memory *t)
{
    const int32_t *n = b->n;
    t->ny = n[0] + 1, t->nz = t->ny * (n[1] + 1);
    t->share = b->stage->host->body_scratch(b, (size_t)(t->nz * (n[2] + 1)) * sizeof *t->share);
    t->smoky = b->stage->host->body_scratch(b, (size_t)(n[1] + 2) * (size_t)(n[2] + 2));
    return t->share && t->smoky;
}

static bool row_is_smoky(const struct bw_block *b, const struct mixing_memory *t, int32_t j, int32_t k)
{
    const int32_t y = b->n[1] + 2, z = b->n[2] + 2;
    return j >= -1 && j < y - 1 && k >= -1 && k < z - 1 && t->smoky[(j + 1) + y * (k + 1)];
}

static void rows_look(const struct bw_block *b, const struct mixing_memory *t)
{
    const struct bw_view *v = view_of(b, 0);
    uint8_t *smoky = t->smoky;
    for (int32_t k = -1; k <= b->n[2]; k++)
        for (int32_t j = -1; j <= b->n[1]; j++) {
            const float *q = bw_f32(v, 0) + j * v->sy + k * v->sz;
            int any = 0;
            for (int32_t i = -1; i <= b->n[0]; i++) any |= q[i] > 0;
            *smoky++ = (uint8_t)any;
        }
}

/* Is there smoke on a side of the row of low faces along an axis? */
static bool faces_have(const struct bw_block *b, const struct mixing_memory *t, int axis, int32_t j, int32_t k)
{
    return row_is_smoky(b, t, j, k) || row_is_smoky(b, t, j - (axis == 1), k - (axis == 2));
}

/* No face into an obstacle exchanges anything. */
static void row_close(const struct bw_block *b, const struct mixing *m, int32_t j, int32_t k, int axis, int32_t n,
                      float *share)
{
    const struct bw_view *v = &b->view[m->solid];
    const ptrdiff_t back = step_along(v, axis);
    const float *solid = bw_f32(v, 0) + j * v->sy + k * v->sz;
    for (int32_t i = 0; i < n; i++)
        if (solid[i] < 0 || solid[i - back] < 0) share[i] = 0;
}

/* Faces of the block that lead to no active tile: nothing passes. */
static void ends_close(const struct bw_block *b, const struct mixing *m, const struct mixing_memory *t, int axis)
{
    const int64_t tile = tile_of_block(m->pass->tiles, b);
    const ptrdiff_t step[3] = {1, t->ny, t->nz};
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    for (int high = 0; high < 2; high++) {
        if (m->topology->neighbour[tile][2 * axis + high] >= 0) continue;
        float *face = t->share + high * b->n[axis] * step[axis];
        for (int32_t j = 0; j < b->n[q]; j++)
            for (int32_t i = 0; i < b->n[p]; i++) face[i * step[p] + j * step[q]] = 0;
    }
}

static void faces_make(const struct bw_block *b, const struct mixing *m, const struct mixing_kernels *kernels,
                       const struct mixing_memory *t, int axis)
{
    const struct bw_view *q = view_of(b, 0), *a = view_of(b, 1), *u = &b->view[VIEW_VEL];
    const int32_t n[3] = {b->n[0] + (axis == 0), b->n[1] + (axis == 1), b->n[2] + (axis == 2)};
    struct mixing_faces f = {.back = step_along(q, axis),
                             .flow_back = step_along(u, axis),
                             .flow_step = {1, u->sy, u->sz},
                             .n = n[0],
                             .number = m->number,
                             .young = m->young};
    if (b->grid->thin >= 0) f.flow_step[b->grid->thin] = 0;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const ptrdiff_t at = j * q->sy + k * q->sz;
            float *share = t->share + j * t->ny + k * t->nz;
            if (!faces_have(b, t, axis, j, k)) {
                memset(share, 0, (size_t)n[0] * sizeof *share);
                continue;
            }
            f.smoke = bw_f32(q, 0) + at;
            f.weighed = bw_f32(a, 0) + j * a->sy + k * a->sz;
            for (int c = 0; c < 3; c++) f.flow[c] = bw_f32(u, c) + j * u->sy + k * u->sz;
            kernels->faces(&f, share);
            if (m->solid) row_close(b, m, j, k, axis, n[0], share);
        }
    ends_close(b, m, t, axis);
}

static void fields_exchange(const struct bw_block *b, const struct mixing *m, const struct mixing_kernels *kernels,
                            const struct mixing_memory *t, int axis)
{
    const ptrdiff_t next[3] = {1, t->ny, t->nz};
    for (uint32_t q = 0; q < m->n_fields; q++) {
        const struct bw_view *from = view_of(b, q), *to = from + 1;
        for (int c = 0; c < from->comps; c++)
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++)
                    if (faces_have(b, t, axis, j, k) || faces_have(b, t, axis, j + (axis == 1), k + (axis == 2)))
                        kernels->exchange(bw_f32(from, c) + j * from->sy + k * from->sz, step_along(from, axis),
                                          t->share + j * t->ny + k * t->nz, next[axis], b->n[0],
                                          bw_f32(to, c) + j * to->sy + k * to->sz);
    }
}

/* `near`: else of smoke there is nothing to copy. */
static void fields_copy(const struct bw_block *b, const struct mixing *m, bool near)
{
    for (uint32_t q = 0; q < m->n_fields; q++) {
        const struct bw_view *from = view_of(b, q), *to = from + 1;
        for (int c = 0; c < to->comps; c++)
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++) {
                    float *row = bw_f32(to, c) + j * to->sy + k * to->sz;
                    if (near || q >= N_WEIGHED)
                        memcpy(row, bw_f32(from, c) + j * from->sy + k * from->sz, (size_t)b->n[0] * sizeof *row);
                    else memset(row, 0, (size_t)b->n[0] * sizeof *row);
                }
    }
}

static void block_mix(const struct bw_block *b, void *user)
{
    const struct mixing *m = user;
    const struct mixing_kernels *kernels = mixing_kernels_for(b->stage->host->simd);
    struct mixing_memory t;
    const bool near = block_is_near(b, m);
    fields_copy(b, m, near);
    if (!near) return;
    if (!memory_take(b, &t)) return; // the host sees that scratch memory ran out
    rows_look(b, &t);
    for (int axis = 0; axis < 3; axis++) {
        if (axis == b->grid->thin) continue;
        faces_make(b, m, kernels, &t, axis);
        fields_exchange(b, m, kernels, &t, axis);
    }
}

static double mixing_strength(struct pass *p, double radius)
{
    const struct bw_stage *s = p->stage;
    return bw_given_or(p->options->mixing, radius > 0 ? s->character : 0);
}

enum bw_status pass_mix(struct pass *p)
{
    struct bw_stage *s = p->stage;
    const double radius = source_radius(s), strength = mixing_strength(p, radius);
    if (strength > 0 && p->smoke && !p->age)
        s->host->log(s, BW_LOG_WARNING, "mixing goes by the age of smoke: have it by `fields: {age: {}}`");
    if (!(strength > 0) || !p->age) return BW_OK;
    struct mixing m = {.pass = p,
                       .topology = p->tiles->topology(s->domain),
                       .field = {p->smoke, p->age},
                       .n_fields = N_WEIGHED,
                       .number = (float)(strength * STRENGTH * s->dt / s->grid->h),
                       .young = (float)(TURNS * froude_time(radius))};
    struct bw_field *solid = p->walls ? bw_port_field(s, PORT_SOLID) : NULL, *f;
    for (uint32_t k = 0; (f = pass_field_at(p, k)) && m.n_fields < MOST_FIELDS; k++) {
        const struct bw_field_info *info = s->host->field_info(f);
        if (info->kind == BW_VECTOR && info->precision == BW_F32) m.field[m.n_fields++] = f;
    }
    struct bw_access row[VIEW_FIELDS + 2 * MOST_FIELDS + 1] = {[VIEW_VEL] = {p->vel, BW_READ, 2}};
    uint32_t n = VIEW_FIELDS;
    for (uint32_t q = 0; q < m.n_fields; q++) {
        row[n++] = (struct bw_access){m.field[q], BW_READ_LAST, 1};
        row[n++] = (struct bw_access){m.field[q], BW_WRITE, 0};
    }
    if (solid) row[m.solid = n++] = (struct bw_access){solid, BW_READ, 1};
    return s->host->sweep(
        s, &(struct bw_sweep){.access = row, .n_access = n, .body = block_mix, .reach = mixing_reach, .user = &m});
}
