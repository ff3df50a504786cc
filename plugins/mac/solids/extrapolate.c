// SPDX-License-Identifier: Apache-2.0
/* Velocity extrapolation into obstacles, as deep as trajectories and interpolation near a surface reach, and at nearly
 * shut faces.
 *
 * The velocity u of a face with a small open area fraction w is ill-determined: the pressure sees its flux w u, so u
 * has the solver's error divided by w, and a force there has w times its effect. Such velocities would grow without
 * bound in a few steps. They and those of shut faces near the surface are extrapolated from the gas: two layers of
 * means of known neighbours, face by face (Bridson, Fluid Simulation, 2nd ed., 4.6 and 6.3), then their component
 * normal to the surface is set to the obstacle's (Batty, Bertails, Bridson 2007): free slip. With `grip` 1 these faces
 * have the obstacle's velocity: no slip. First order in h at faces that lie within a cell of the surface, so second
 * order in the mean over all.
 *
 * Walls about a cell thick are left alone: extrapolation from both sides would couple the two sides. */
#include "project/project.h"
#include <common/solids/cut.h>
#include <math.h>
#include <string.h>

enum { LAYERS = 2, PAD = EXTRAPOLATE_HALO };
enum { UNKNOWN = 0, KNOWN = 1, WALL = 255 }; // KNOWN + l: of layer l
#define MIN_OPEN_FRACTION 0.25f              ///< faces with less are extrapolated

/// One block and PAD cells around it, in the layout of the velocity's view.
struct patch {
    const struct bw_block *block;
    const struct projection *projection;
    struct cut cut;
    float *u[3];
    uint8_t *known[3];
    ptrdiff_t step[3];
};

static ptrdiff_t place(const ptrdiff_t step[3], int i, int j, int k) { return i + j * step[1] + k * step[2]; }

/// One past the last face of component a along axis q, `pad` cells beyond the block.
static int face_end(const struct patch *p, int a, int q, int pad) { return p->block->n[q] + pad + (a == q); }

static int patch_begin(struct patch *p)
{
    const struct bw_block *b = p->block;
    const struct bw_view *v = &b->view[p->projection->around];
    const size_t size = (size_t)(v->sz * (b->n[2] + 2 * PAD + 1));
    const ptrdiff_t skip = PAD * (1 + v->sy + v->sz);
    float *u = b->stage->host->body_scratch(b, 3 * size * sizeof *u);
    uint8_t *known = b->stage->host->body_scratch(b, 3 * size);
    if (!u || !known || !cut_make(b, &b->view[p->projection->solid], PAD, &p->cut)) return 0;
    memset(known, UNKNOWN, 3 * size);
    p->step[0] = 1, p->step[1] = v->sy, p->step[2] = v->sz;
    for (int a = 0; a < 3; a++) {
        p->u[a] = u + (size_t)a * size + skip;
        p->known[a] = known + (size_t)a * size + skip;
        memcpy(p->u[a] - skip, bw_f32(v, a) - skip, size * sizeof *u);
    }
    return 1;
}

/// Marks the faces of component a whose velocity is known; returns whether any is not.
static int faces_classify(const struct patch *p, int a)
{
    const struct bw_view *solid = &p->block->view[p->projection->solid];
    const ptrdiff_t cells[3] = {1, solid->sy, solid->sz};
    const float h = (float)p->block->grid->h;
    int lacking = 0;
    for (int k = -PAD; k < face_end(p, a, 2, PAD); k++)
        for (int j = -PAD; j < face_end(p, a, 1, PAD); j++)
            for (int i = -PAD; i < face_end(p, a, 0, PAD); i++) {
                const float w = p->cut.w[a][place(p->cut.stride, i, j, k)];
                uint8_t *known = &p->known[a][place(p->step, i, j, k)];
                if (w >= MIN_OPEN_FRACTION) *known = KNOWN;
                else if (w == 0 && cut_is_thin_wall(bw_f32(solid, 0) + place(cells, i, j, k), cells[a], h))
                    *known = WALL;
                lacking |= *known != KNOWN;
            }
    return lacking;
}

/// Sets a face to the mean of its known neighbours; a shut face between two known ones is part of a thin wall.
static void face_extrapolate(const struct patch *p, int a, ptrdiff_t at, int shut, int layer)
{
    float sum = 0;
    int n = 0;
    for (int q = 0; q < 3; q++) {
        int beside = 0;
        for (int d = -1; d <= 1 && q != p->block->grid->thin; d += 2) {
            const ptrdiff_t next = at + d * p->step[q];
            if (p->known[a][next] < KNOWN || p->known[a][next] >= KNOWN + layer) continue;
            sum += p->u[a][next];
            beside++;
        }
        n += beside;
        if (beside == 2 && shut) {
            p->known[a][at] = WALL;
            return;
        }
    }
    if (!n) return;
    p->u[a][at] = sum / (float)n;
    p->known[a][at] = (uint8_t)(KNOWN + layer);
}

static void layer_extrapolate(const struct patch *p, int a, int layer)
{
    const int pad = PAD - layer;
    for (int k = -pad; k < face_end(p, a, 2, pad); k++)
        for (int j = -pad; j < face_end(p, a, 1, pad); j++)
            for (int i = -pad; i < face_end(p, a, 0, pad); i++) {
                const ptrdiff_t at = place(p->step, i, j, k);
                if (p->known[a][at] != UNKNOWN) continue;
                face_extrapolate(p, a, at, p->cut.w[a][place(p->cut.stride, i, j, k)] == 0, layer);
            }
}

/// A mac field's three components at the face of component a.
static void vector_at(float *const u[3], const ptrdiff_t step[3], int a, int i, int j, int k, float out[3])
{
    for (int c = 0; c < 3; c++) {
        const float *f = u[c] + place(step, i, j, k);
        out[c] = c == a ? f[0] : 0.25f * ((f[0] + f[step[c]]) + (f[-step[a]] + f[step[c] - step[a]]));
    }
}

/// The surface's unit normal at a face, into the gas; 0 where there is none.
static void normal_at(const struct bw_view *solid, int thin, int a, int i, int j, int k, float n[3])
{
    const ptrdiff_t step[3] = {1, solid->sy, solid->sz};
    const float *high = bw_f32(solid, 0) + place(step, i, j, k), *low = high - step[a];
    float square = 0;
    for (int c = 0; c < 3; c++) {
        n[c] = c == a ? high[0] - low[0] : 0.25f * ((high[step[c]] - high[-step[c]]) + (low[step[c]] - low[-step[c]]));
        if (c == thin) n[c] = 0;
        square += n[c] * n[c];
    }
    for (int c = 0; c < 3; c++) n[c] = square > 0 ? n[c] / sqrtf(square) : 0;
}

/// Velocity of an extrapolated face after the slip condition.
static float face_slip_velocity(const struct patch *p, int a, int i, int j, int k)
{
    const struct bw_block *b = p->block;
    const struct projection *t = p->projection;
    const struct bw_view *v = t->solid_vel >= 0 ? &b->view[t->solid_vel] : NULL;
    float n[3], u[3], wall[3] = {0}, grip = 0, into = 0;
    normal_at(&b->view[t->solid], b->grid->thin, a, i, j, k, n);
    vector_at(p->u, p->step, a, i, j, k, u);
    if (v) {
        float *const faces[3] = {bw_f32(v, 0), bw_f32(v, 1), bw_f32(v, 2)};
        vector_at(faces, (const ptrdiff_t[3]){1, v->sy, v->sz}, a, i, j, k, wall);
    }
    if (t->grip >= 0) {
        const struct bw_view *g = &b->view[t->grip];
        const ptrdiff_t step[3] = {1, g->sy, g->sz}, at = place(step, i, j, k);
        grip = fmaxf(bw_f32(g, 0)[at], bw_f32(g, 0)[at - step[a]]);
    }
    for (int c = 0; c < 3; c++) into += n[c] * (u[c] - wall[c]);
    return grip * wall[a] + (1 - grip) * (u[a] - n[a] * into);
}

/// Is this face on a side of the box that prescribes its velocity?
static int face_is_given(const struct bw_block *b, int a, int at)
{
    const int high = b->grid->n[a] > 0 && b->lo[a] + at == b->grid->n[a];
    const uint32_t kind = b->grid->side[2 * a + high].kind;
    return b->grid->n[a] > 0 && (high || b->lo[a] + at == 0) && (kind == BW_CLOSED || kind == BW_INFLOW);
}

static void faces_store(const struct patch *p, int a)
{
    const struct bw_view *to = &p->block->view[p->projection->vel];
    const struct bw_view *v = p->projection->solid_vel >= 0 ? &p->block->view[p->projection->solid_vel] : NULL;
    for (int k = 0; k < face_end(p, a, 2, 0); k++)
        for (int j = 0; j < face_end(p, a, 1, 0); j++)
            for (int i = 0; i < face_end(p, a, 0, 0); i++) {
                const uint8_t known = p->known[a][place(p->step, i, j, k)];
                float *f = bw_f32(to, a) + i + j * to->sy + k * to->sz;
                if (known == KNOWN || face_is_given(p->block, a, a == 0 ? i : a == 1 ? j : k)) continue;
                if (known > KNOWN && known != WALL) *f = face_slip_velocity(p, a, i, j, k);
                else if (p->cut.w[a][place(p->cut.stride, i, j, k)] > 0) // a narrow gap
                    *f = v ? bw_f32(v, a)[i + j * v->sy + k * v->sz] : 0;
            }
}

int project_extrapolate_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct projection *t = user;
    for (int a = 0; a < 3 && (int32_t)row == t->around; a++) reach[2 * a] = PAD; // above: one more, the high faces
    return project_is_cut(t, b);
}

void project_extrapolate(const struct bw_block *b, void *user)
{
    struct patch p = {.block = b, .projection = user};
    int lacking = 0;
    if (b->view[p.projection->vel].halo < 0) return;
    if (!patch_begin(&p)) return; // the host sees that scratch memory ran out
    for (int a = 0; a < 3; a++)
        if (a != b->grid->thin) lacking |= faces_classify(&p, a);
    for (int layer = 1; lacking && layer <= LAYERS; layer++)
        for (int a = 0; a < 3; a++)
            if (a != b->grid->thin) layer_extrapolate(&p, a, layer);
    for (int a = 0; lacking && a < 3; a++)
        if (a != b->grid->thin) faces_store(&p, a);
}
