// SPDX-License-Identifier: Apache-2.0
/* Kernels of mac.diffuse on one tile, with the correction x in DIFFUSE_REAL (float or double).
 *
 * Boundary conditions of q are the host's. x is a change of q: where the host prescribes a velocity (of a wall, of an
 * inflow), x is 0, set in a copy by sides_apply. Where walls or obstacles prescribe values (Dirichlet), the mask `open`
 * is 0, and the difference of a free value to a prescribed (held) one counts
 *     cells                    0 times: nothing passes into an obstacle
 *     faces of sides           once: the held face lies on the wall
 *     faces where flow sticks  1/theta times: the surface is theta cells away
 *     faces where it slides    once along their own axis, 0 times beside it */
#include "diffuse.h"
#include <common/tiles.h>
#include <math.h>
#include <string.h>

#define REAL DIFFUSE_REAL

enum { ROW = 66, LANES = 8 }; /* longest row of a tile, one plane more for faces */

/// One component with a layer around it, laid out like the view that it comes from.
struct patch {
    const REAL *q;
    const REAL *open;     ///< 1 free, 0 held; NULL: all are free
    const REAL *distance; ///< cells from the surface that the flow sticks to, < 0 inside; NULL: there is none
    ptrdiff_t s[3];
    int32_t n[3]; ///< values to work on: one face more along the component's own axis
    int32_t c, axes[3], n_axes;
    REAL held[3]; ///< by axis: factor of a difference to a held value
    size_t size;  ///< values in the layout, halo and all
};

/* ---- boundary conditions ----------------------------------------------------------------------------------------- */

static int block_is_at_side(const struct bw_block *b, int s)
{
    const int a = s >> 1;
    if (b->grid->n[a] <= 0) return 0;
    return s & 1 ? b->lo[a] + b->n[a] == b->grid->n[a] : b->lo[a] == 0;
}

/// Does the side prescribe a velocity in the halo of faces?
static int side_prescribes(const struct bw_block *b, int s)
{
    const uint32_t kind = b->grid->side[s].kind;
    return s >> 1 != b->grid->thin && (kind == BW_CLOSED || kind == BW_INFLOW) && block_is_at_side(b, s);
}

static int any_side_prescribes(const struct bw_block *b)
{
    int any = 0;
    for (int s = 0; s < 6; s++) any |= side_prescribes(b, s);
    return any;
}

/// to = scale·from on one plane (number `to`, `from` along axis a), the layer around it too.
static void plane_scale(const struct patch *p, REAL *q, int a, int to, int from, REAL scale)
{
    const int u = (a + 1) % 3, w = (a + 2) % 3;
    for (int j = -1; j <= p->n[w]; j++)
        for (int i = -1; i <= p->n[u]; i++) {
            const ptrdiff_t at = i * p->s[u] + j * p->s[w];
            q[at + to * p->s[a]] = scale * q[at + from * p->s[a]];
        }
}

/// The same about a wall's velocity: to = 2 wall - from.
static void plane_reflect(const struct patch *p, REAL *q, int a, int to, int from, REAL wall)
{
    const int u = (a + 1) % 3, w = (a + 2) % 3;
    for (int j = -1; j <= p->n[w]; j++)
        for (int i = -1; i <= p->n[u]; i++) {
            REAL *at = q + i * p->s[u] + j * p->s[w];
            at[to * p->s[a]] = 2 * wall - at[from * p->s[a]];
        }
}

/// Beyond no-slip walls: what a parabola through the wall's velocity and the first two values has there. The host's,
/// the line 2U - q, makes a quarter less of the second derivative beside the wall.
static void walls_bend(const struct patch *p, const struct bw_block *b, REAL *q)
{
    for (int s = 0; s < 6; s++) {
        const int a = s >> 1, u = (a + 1) % 3, w = (a + 2) % 3;
        const ptrdiff_t in = s & 1 ? -p->s[a] : p->s[a];
        if (a == p->c || !side_prescribes(b, s) || !diffuse_side_bends(b->grid, s)) continue;
        for (int j = -1; j <= p->n[w]; j++)
            for (int i = -1; i <= p->n[u]; i++) {
                REAL *first = q + i * p->s[u] + j * p->s[w] + (s & 1 ? p->n[a] - 1 : 0) * p->s[a];
                first[-in] = (4 * first[-in] - 2 * first[0] + first[in]) / 3;
            }
    }
}

/// Boundary conditions for a change of the flow: 0 on walls and inflows, a parabola through 0 on no-slip walls.
static void sides_apply(const struct patch *p, const struct bw_block *b, REAL *x)
{
    for (int s = 0; s < 6; s++) {
        const int a = s >> 1, own = a == p->c, edge = s & 1 ? b->n[a] : own ? 0 : -1;
        const struct bw_side *side = &b->grid->side[s];
        if (!side_prescribes(b, s)) continue;
        if (own || side->kind == BW_INFLOW) plane_scale(p, x, a, edge, edge, 0);
        else if (side->no_slip) plane_scale(p, x, a, edge, s & 1 ? edge - 1 : edge + 1, -1);
    }
    walls_bend(p, b, x);
}

/// Masks the values that obstacles prescribe: cells and faces inside, and where the flow slides all faces of such
/// cells. With `q`, sets it to their velocity; with `distance`, that to the values' from the surface.
static void solids_mask(const struct patch *p, const struct bw_block *b, const struct diffuse_task *t, REAL *open,
                        REAL *q, REAL *distance)
{
    const struct bw_view *v = &b->view[t->solid], *w = q && t->solid_vel >= 0 ? &b->view[t->solid_vel] : NULL;
    const ptrdiff_t back = !t->mac ? 0 : p->c == 0 ? 1 : p->c == 1 ? v->sy : v->sz;
    const REAL half = (REAL)(0.5 / b->grid->h);
    for (int k = -1; k <= p->n[2]; k++)
        for (int j = -1; j <= p->n[1]; j++) {
            const float *solid = bw_f32(v, 0) + j * v->sy + k * v->sz;
            const float *move = w ? bw_f32(w, p->c) + j * w->sy + k * w->sz : NULL;
            const ptrdiff_t at = j * p->s[1] + k * p->s[2];
            for (int i = -1; i <= p->n[0]; i++) {
                if (distance) distance[at + i] = half * ((REAL)solid[i] + (REAL)solid[i - back]);
                if (!(distance ? distance[at + i] < 0 : solid[i] < 0 || solid[i - back] < 0)) continue;
                open[at + i] = 0;
                if (q && t->mac) q[at + i] = move ? move[i] : 0;
            }
        }
}

static int block_near_solid(const struct bw_block *b, const struct bw_view *v)
{
    for (int k = -2; k < b->n[2] + 2; k++)
        for (int j = -2; j < b->n[1] + 2; j++) {
            const float *solid = bw_f32(v, 0) + j * v->sy + k * v->sz;
            for (int i = -2; i < b->n[0] + 2; i++)
                if (solid[i] < 0) return 1;
        }
    return 0;
}

/* ---- one component ----------------------------------------------------------------------------------------------- */

/// Component c of a view with halo 1.
static void patch_place(struct patch *p, const struct bw_block *b, const struct diffuse_task *t,
                        const struct bw_view *v, int c)
{
    *p = (struct patch){.s = {1, v->sy, v->sz}, .c = c, .size = (size_t)v->sz * (size_t)(b->n[2] + 2 + t->mac)};
    for (int a = 0; a < 3; a++) {
        p->n[a] = b->n[a] + (t->mac && a == c);
        p->held[a] = t->mac ? (a == c ? 1 : t->slip ? 0 : 2) : 0;
        if (a != b->grid->thin) p->axes[p->n_axes++] = a;
    }
}

/// Memory laid out like the view, from its first owned value on; NULL when out of memory (the host reports that).
static REAL *patch_memory(const struct patch *p, const struct bw_block *b)
{
    REAL *m = b->stage->host->body_scratch(b, p->size * sizeof *m);
    return m ? m + p->s[0] + p->s[1] + p->s[2] : NULL;
}

/// Makes the mask `open`, where values are held; sets `q` (unless NULL) to the velocity of obstacles. 0: out of memory.
static int patch_mask(struct patch *p, const struct bw_block *b, const struct diffuse_task *t, int near_solid, REAL *q)
{
    if (!near_solid && !(t->mac && any_side_prescribes(b))) return 1;
    REAL *open = patch_memory(p, b);
    if (!open) return 0;
    REAL *all = open - (p->s[0] + p->s[1] + p->s[2]);
    for (size_t i = 0; i < p->size; i++) all[i] = 1;
    const int sticks = near_solid && t->mac && !t->slip;
    REAL *distance = sticks ? patch_memory(p, b) : NULL;
    if (sticks && !distance) return 0;
    if (near_solid) solids_mask(p, b, t, open, q, distance);
    for (int s = 2 * p->c; t->mac && s < 2 * p->c + 2; s++) {
        const int plane = s & 1 ? b->n[p->c] : 0;
        if (!side_prescribes(b, s)) continue;
        plane_scale(p, open, p->c, plane, plane, 0);
        if (distance) plane_scale(p, distance, p->c, plane, plane, 0);
    }
    p->open = open;
    p->distance = distance;
    return 1;
}

/// q -= known gradient (p - p'), where both pressures are known; then the values beyond no-slip walls anew.
static void pressure_apply(const struct patch *p, const struct bw_block *b, const struct diffuse_task *t, REAL *q)
{
    const struct bw_view *v = &b->view[t->pressure];
    const ptrdiff_t back = p->c == 0 ? 1 : p->c == 1 ? v->sy : v->sz;
    const REAL by = (REAL)(t->known * t->gradient);
    for (int k = -1; k <= p->n[2]; k++)
        for (int j = -1; j <= p->n[1]; j++) {
            const float *high = bw_f32(v, 0) + j * v->sy + k * v->sz, *low = high - back;
            REAL *row = q + j * p->s[1] + k * p->s[2];
            for (int i = -1; i <= p->n[0]; i++)
                row[i] -= high[i] != 0 && low[i] != 0 ? by * ((REAL)high[i] - (REAL)low[i]) : 0;
        }
    for (int s = 0; s < 6; s++) {
        const struct bw_side *side = &b->grid->side[s];
        const int a = s >> 1, first = s & 1 ? b->n[a] - 1 : 0;
        if (a != p->c && side_prescribes(b, s) && diffuse_side_bends(b->grid, s))
            plane_reflect(p, q, a, s & 1 ? first + 1 : -1, first, (REAL)side->velocity[p->c]);
    }
}

/// The field itself, in REAL. 0: out of memory.
static int patch_of_field(struct patch *p, const struct bw_block *b, const struct diffuse_task *t, int c,
                          int near_solid)
{
    const struct bw_view *v = &b->view[t->field];
    patch_place(p, b, t, v, c);
    const ptrdiff_t skip = p->s[0] + p->s[1] + p->s[2];
    REAL *q = patch_memory(p, b);
    if (!q) return 0;
    if (t->field_is_f64)
        for (size_t i = 0; i < p->size; i++) q[(ptrdiff_t)i - skip] = (REAL)bw_f64(v, c)[(ptrdiff_t)i - skip];
    else
        for (size_t i = 0; i < p->size; i++) q[(ptrdiff_t)i - skip] = (REAL)bw_f32(v, c)[(ptrdiff_t)i - skip];
    const float *force = t->force >= 0 ? bw_f32(&b->view[t->force], c) - skip : NULL; // of the same layout
    const REAL force_dt = (REAL)(t->known * t->force_dt);
    for (size_t i = 0; force && i < p->size; i++) q[(ptrdiff_t)i - skip] += force_dt * (REAL)force[i];
    if (t->pressure >= 0) pressure_apply(p, b, t, q);
    if (t->mac) walls_bend(p, b, q);
    p->q = q;
    return patch_mask(p, b, t, near_solid, q);
}

/// The correction. 0: out of memory.
static int patch_of_x(struct patch *p, const struct bw_block *b, const struct diffuse_task *t, int c)
{
    const struct bw_view *v = &b->view[t->x];
    patch_place(p, b, t, v, c);
    p->q = v->data[c];
    if (!t->mac || !any_side_prescribes(b)) return 1;
    REAL *x = patch_memory(p, b);
    if (!x) return 0;
    const ptrdiff_t skip = p->s[0] + p->s[1] + p->s[2];
    memcpy(x - skip, p->q - skip, p->size * sizeof *x);
    sides_apply(p, b, x);
    p->q = x;
    return 1;
}

/// Factor of the difference of a free value, `here` cells from the surface, to its neighbour.
static REAL link_factor(REAL here, REAL next, REAL open)
{
    if (open > 0) return 1;
    return here * DIFFUSE_LINK_MOST > here - next ? (here - next) / here : DIFFUSE_LINK_MOST;
}

/// Preconditioner: divides a row of residuals by 1 + implicit times what its factors are above 2, so that the bounds of
/// the eigenvalues are the same beside obstacles, wherever the surface lies.
static void row_precondition(const struct patch *p, const struct diffuse_task *t, const REAL *above, REAL *r)
{
    const REAL implicit = (REAL)t->implicit;
    for (int i = 0; p->distance && i < p->n[0]; i++) r[i] /= 1 + implicit * above[i];
}

static REAL above_two(REAL factor) { return factor > 2 ? factor - 2 : 0; }

/// out = L q on row (j, k); 0 where the value is held. `above`: of the patch's distances what factors are above 2.
static void row_laplacian(const struct patch *p, int j, int k, REAL *out, REAL *above)
{
    const ptrdiff_t from = j * p->s[1] + k * p->s[2];
    const REAL *q = p->q + from, *open = p->open ? p->open + from : NULL;
    const int n = p->n[0];
    memset(out, 0, (size_t)n * sizeof *out);
    if (p->distance) memset(above, 0, (size_t)n * sizeof *above);
    for (int d = 0; d < p->n_axes; d++) {
        const ptrdiff_t s = p->s[p->axes[d]];
        const REAL held = p->held[p->axes[d]], more = 1 - held;
        if (!open)
            for (int i = 0; i < n; i++) out[i] += (q[i - s] - q[i]) + (q[i + s] - q[i]);
        else if (p->distance)
            for (int i = 0; i < n; i++) {
                const REAL *far = p->distance + from + i;
                const REAL low = link_factor(far[0], far[-s], open[i - s]),
                           high = link_factor(far[0], far[s], open[i + s]);
                out[i] += low * (q[i - s] - q[i]) + high * (q[i + s] - q[i]);
                above[i] += above_two(low), above[i] += above_two(high);
            }
        else
            for (int i = 0; i < n; i++) {
                const REAL low = held + more * open[i - s], high = held + more * open[i + s];
                out[i] += low * (q[i - s] - q[i]) + high * (q[i + s] - q[i]);
            }
    }
    for (int i = 0; open && i < n; i++) out[i] *= open[i];
    for (int i = 0; p->distance && i < n; i++) above[i] *= open[i];
}

static REAL *row_at(const struct bw_view *v, int c, int j, int k) { return (REAL *)v->data[c] + j * v->sy + k * v->sz; }

static void component_clear(const struct bw_view *v, const int32_t n[3], int c)
{
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++) memset(row_at(v, c, j, k), 0, (size_t)n[0] * sizeof(REAL));
}

/// The flow's component along the thin axis is left alone.
static int is_left_out(const struct bw_block *b, const struct diffuse_task *t, int c)
{
    return t->mac && c == b->grid->thin;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/// Largest |r|, by independent lanes.
static REAL row_largest(const REAL *r, int n)
{
    REAL most[LANES] = {0};
    for (int i = 0; i < n; i += LANES)
        for (int l = 0; l < LANES && i + l < n; l++) {
            const REAL size = r[i + l] < 0 ? -r[i + l] : r[i + l];
            most[l] = size > most[l] ? size : most[l];
        }
    for (int l = 1; l < LANES; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

static REAL row_begin(const struct diffuse_task *t, const struct bw_block *b, const struct patch *p, int j, int k)
{
    REAL *rhs = row_at(&b->view[t->rhs], p->c, j, k), *x = row_at(&b->view[t->x_out], p->c, j, k);
    REAL *direction = row_at(&b->view[t->direction], p->c, j, k), laplacian[ROW], first[ROW], above[ROW];
    const REAL number = (REAL)t->number, alpha = (REAL)t->alpha;
    row_laplacian(p, j, k, laplacian, above);
    for (int i = 0; i < p->n[0]; i++) rhs[i] = number * laplacian[i];
    memcpy(first, rhs, (size_t)p->n[0] * sizeof *first);
    row_precondition(p, t, above, first);
    for (int i = 0; i < p->n[0]; i++) x[i] = direction[i] = alpha * first[i];
    return row_largest(first, p->n[0]);
}

/* rhs - (1 - implicit L) x, preconditioned; 0 where the value is held: `rhs` there is the side's. */
static void row_residual(const struct diffuse_task *t, const struct bw_block *b, const struct patch *p, int j, int k,
                         REAL *out)
{
    const ptrdiff_t from = j * p->s[1] + k * p->s[2];
    const REAL *rhs = row_at(&b->view[t->rhs], p->c, j, k), *x = p->q + from, implicit = (REAL)t->implicit;
    REAL above[ROW];
    row_laplacian(p, j, k, out, above);
    for (int i = 0; i < p->n[0]; i++) out[i] = (rhs[i] - x[i]) + implicit * out[i];
    for (int i = 0; p->open && i < p->n[0]; i++) out[i] *= p->open[from + i];
    row_precondition(p, t, above, out);
}

static REAL row_iterate(const struct diffuse_task *t, const struct bw_block *b, const struct patch *p, int j, int k)
{
    const REAL *old = p->q + j * p->s[1] + k * p->s[2], beta = (REAL)t->beta, alpha = (REAL)t->alpha;
    REAL *x = row_at(&b->view[t->x_out], p->c, j, k), *direction = row_at(&b->view[t->direction], p->c, j, k), r[ROW];
    row_residual(t, b, p, j, k, r);
    for (int i = 0; i < p->n[0]; i++) {
        direction[i] = beta * direction[i] + alpha * r[i];
        x[i] = old[i] + direction[i];
    }
    return row_largest(r, p->n[0]);
}

static REAL row_finish(const struct diffuse_task *t, const struct bw_block *b, const struct patch *p, int j, int k)
{
    const struct bw_view *v = &b->view[t->field];
    const ptrdiff_t at = j * v->sy + k * v->sz;
    const REAL *x = p->q + j * p->s[1] + k * p->s[2], force_dt = (REAL)t->force_dt;
    if (t->field_is_f64)
        for (int i = 0; i < p->n[0]; i++) bw_f64(v, p->c)[at + i] += (double)x[i];
    else
        for (int i = 0; i < p->n[0]; i++)
            bw_f32(v, p->c)[at + i] = (float)((REAL)bw_f32(v, p->c)[at + i] + x[i] / force_dt);
    return 0;
}

typedef REAL (*row_fn)(const struct diffuse_task *t, const struct bw_block *b, const struct patch *p, int j, int k);

static void rows_run(const struct diffuse_task *t, const struct bw_block *b, const struct patch *p, row_fn row)
{
    for (int k = 0; k < p->n[2]; k++)
        for (int j = 0; j < p->n[1]; j++) b->max[0] = fmax(b->max[0], (double)row(t, b, p, j, k));
}

static void block_begin(const struct bw_block *b, void *user)
{
    const struct diffuse_task *t = user;
    const int near_solid = t->solid >= 0 && block_near_solid(b, &b->view[t->solid]);
    struct patch p;
    if (t->near_solid) t->near_solid[tile_of_block(t->tiles, b)] = (uint8_t)near_solid;
    for (int c = 0; c < b->view[t->field].comps; c++) {
        if (is_left_out(b, t, c)) {
            patch_place(&p, b, t, &b->view[t->field], c);
            for (int v = 0; v < 3; v++)
                component_clear(&b->view[(int32_t[]){t->rhs, t->x_out, t->direction}[v]], p.n, c);
        } else {
            if (!patch_of_field(&p, b, t, c, near_solid)) return;
            rows_run(t, b, &p, row_begin);
        }
    }
}

static void block_iterate(const struct bw_block *b, void *user)
{
    const struct diffuse_task *t = user;
    const int near_solid = t->near_solid && t->near_solid[tile_of_block(t->tiles, b)];
    struct patch p;
    for (int c = 0; c < b->view[t->x].comps; c++) {
        if (is_left_out(b, t, c)) {
            patch_place(&p, b, t, &b->view[t->x], c);
            component_clear(&b->view[t->x_out], p.n, c);
        } else {
            if (!patch_of_x(&p, b, t, c) || !patch_mask(&p, b, t, near_solid, NULL)) return;
            rows_run(t, b, &p, row_iterate);
        }
    }
}

static void block_finish(const struct bw_block *b, void *user)
{
    const struct diffuse_task *t = user;
    struct patch p;
    for (int c = 0; c < b->view[t->x].comps; c++) {
        if (is_left_out(b, t, c)) continue;
        if (!patch_of_x(&p, b, t, c)) return;
        rows_run(t, b, &p, row_finish);
    }
}

const struct diffuse_kernels DIFFUSE_TABLE = {block_begin, block_iterate, block_finish};
