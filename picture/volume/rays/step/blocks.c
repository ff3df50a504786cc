// SPDX-License-Identifier: Apache-2.0
/* Blocks are splatted as spheres onto screen tiles, so that most pixels know at once that they miss everything, and the
 * others where to start and end. */
#include "blocks.h"
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>

#define UNSEEN 1e-3f    ///< light, and share of light, that nobody misses
#define SEEN 0.004f     ///< of the light gets out: smoke behind is not seen, …
#define SEEN_FIRE 5e-5f ///< … nor fire, however bright

/// What the tasks share.
struct survey {
    const struct bw_lit *lit;
    struct bw_blocks *b;
    uint8_t *flat; ///< what cells hold within their layer
    float *bright; ///< of a layer of blocks: its brightest flames, were they as deep as the box
};

/// Each of n bytes joined with the one before and the two behind it.
static void line_reach(uint8_t *p, int n, int step)
{
    uint8_t before = 0;
    for (int i = 0; i < n; i++, p += step) {
        const uint8_t here = *p, next = i + 1 < n ? p[step] : 0, after = i + 2 < n ? p[2 * step] : 0;
        *p = before | here | next | after;
        before = here;
    }
}

/// How bright flames as bright and hot as the brightest and hottest of a block would be, were they as deep as the box
/// is. 0: nobody would see them, nor that they hide anything.
static float fire_shows(const struct bw_lit *lit, const float fire[2])
{
    const struct bw_dense *b = &lit->box;
    const float way = (float)((b->n[0] + b->n[1] + b->n[2]) * b->h);
    float rgb[3];
    if (fire[0] <= BW_FIRE_FAINT) return 0;
    bw_emission(lit->blackbody, fire, rgb);
    const float bright = way * lit->gain * (rgb[0] + rgb[1] + rgb[2]);
    return bright + way * lit->soot * fire[0] > UNSEEN ? bw_most(bright, UNSEEN) : 0;
}

/// What each cell of a layer holds, then of the one before and the two behind in x, then in y.
static void near_layer(int64_t k, void *user)
{
    const struct survey *s = user;
    const struct bw_lit *lit = s->lit;
    const int nx = lit->box.n[0], ny = lit->box.n[1];
    const size_t first = (size_t)k * (size_t)nx * (size_t)ny;
    const float *p = lit->rgbs + 4 * first, *fire = lit->fire ? lit->fire + 2 * first : NULL;
    const float *roots = lit->roots ? lit->roots + first : NULL;
    uint8_t *out = s->flat + first;
    for (int i = 0; i < nx * ny; i++) {
        const int shines = (!lit->logs && p[4 * i] + p[4 * i + 1] + p[4 * i + 2] > 0) || (roots && roots[i] > 0);
        out[i] = (uint8_t)((p[4 * i + 3] > 0 || shines ? BW_HOLDS_MEDIUM : 0) |
                           (fire && fire[2 * i] > BW_FIRE_FAINT ? BW_HOLDS_FIRE : 0));
    }
    for (int i = 0; s->b->moved && i < nx * ny; i++)
        if (p[4 * i + 3] * (float)lit->box.h > BW_MOVED_THIN || (fire && fire[2 * i] > BW_MOVED_THIN))
            out[i] |= BW_HOLDS_MOVED;
    for (int j = 0; j < ny; j++) line_reach(out + j * nx, nx, 1);
    for (int i = 0; i < nx; i++) line_reach(out + i, ny, nx);
}

/// And in z.
static void near_stack(int64_t k, void *user)
{
    const struct survey *s = user;
    const int nz = s->lit->box.n[2], last = (int)k + 2 < nz ? (int)k + 2 : nz - 1;
    const size_t layer = (size_t)s->lit->box.n[0] * (size_t)s->lit->box.n[1];
    uint8_t *out = s->b->near + (size_t)k * layer;
    for (int q = k > 0 ? (int)k - 1 : 0; q <= last; q++)
        for (size_t i = 0; i < layer; i++) out[i] |= s->flat[(size_t)q * layer + i];
}

/// Hottest and brightest flame in a block, or in the cells around it that a spline reaches.
static void block_fire(const struct bw_lit *lit, const int at[3], float most[2])
{
    const struct bw_dense *b = &lit->box;
    int lo[3], hi[3];
    most[0] = most[1] = 0;
    for (int a = 0; a < 3; a++) {
        lo[a] = at[a] ? at[a] * BW_BLOCK - 1 : 0;
        hi[a] = (at[a] + 1) * BW_BLOCK + 2 < b->n[a] ? (at[a] + 1) * BW_BLOCK + 2 : b->n[a];
    }
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++) {
            const float *fire = lit->fire + 2 * (((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0]);
            for (int i = lo[0]; i < hi[0]; i++)
                for (int c = 0; c < 2; c++) most[c] = bw_most(most[c], fire[2 * i + c]);
        }
}

static uint8_t block_holds(const struct survey *s, const int at[3], float *bright)
{
    const struct bw_dense *b = &s->lit->box;
    uint8_t holds = 0;
    float most[2];
    for (int k = at[2] * BW_BLOCK; k < b->n[2] && k < (at[2] + 1) * BW_BLOCK; k++)
        for (int j = at[1] * BW_BLOCK; j < b->n[1] && j < (at[1] + 1) * BW_BLOCK; j++)
            for (int i = at[0] * BW_BLOCK; i < b->n[0] && i < (at[0] + 1) * BW_BLOCK; i++)
                holds |= s->b->near[((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0] + (size_t)i];
    if (!(holds & BW_HOLDS_FIRE)) return holds;
    block_fire(s->lit, at, most);
    const float shows = fire_shows(s->lit, most);
    *bright = bw_most(*bright, shows);
    return shows > 0 ? holds : (uint8_t)(holds & ~BW_HOLDS_FIRE);
}

static void busy_layer(int64_t k, void *user)
{
    const struct survey *s = user;
    const int32_t *n = s->b->n;
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++)
            s->b->busy[((int)k * n[1] + j) * n[0] + i] = block_holds(s, (int[3]){i, j, (int)k}, &s->bright[k]);
}

static enum bw_status busy_make(const struct bw_tools *tools, const struct bw_lit *lit, struct bw_blocks *b)
{
    struct survey s = {.lit = lit, .b = b};
    const size_t cells = bw_dense_cells(&lit->box);
    if (!lit->rgbs) return BW_OK;
    for (int a = 0; a < 3; a++) b->n[a] = (lit->box.n[a] + BW_BLOCK - 1) / BW_BLOCK;
    b->busy = tools->alloc(tools->ctx, (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2]);
    b->near = tools->alloc(tools->ctx, 2 * cells);
    s.bright = tools->alloc(tools->ctx, (size_t)b->n[2] * sizeof(float));
    if (!b->busy || !b->near || !s.bright) {
        if (s.bright) tools->release(tools->ctx, s.bright);
        return BW_ERR_MEMORY;
    }
    for (int k = 0; k < b->n[2]; k++) s.bright[k] = 0;
    s.flat = b->near + cells;
    tools->parallel(tools->ctx, lit->box.n[2], near_layer, &s);
    tools->parallel(tools->ctx, lit->box.n[2], near_stack, &s);
    tools->parallel(tools->ctx, b->n[2], busy_layer, &s);
    float bright = 1; // as smoke is
    for (int k = 0; k < b->n[2]; k++) bright = bw_most(bright, (1 + BW_STANDS_OUT) * s.bright[k]);
    b->seen = lit->roots ? SEEN_FIRE : bw_most(SEEN / bright, SEEN_FIRE);
    tools->release(tools->ctx, s.bright);
    return BW_OK;
}

/// Widen the depth range of the screen tiles that a sphere of radius r about p may touch, as any place of the lens sees
/// it.
static void tiles_mark(struct bw_blocks *b, const struct bw_camera *c, const int32_t pixels[2], const double p[3],
                       double r)
{
    double x = 0, y = 0, z = 0, range[2][2] = {{-1, 1}, {-1, 1}};
    for (int a = 0; a < 3; a++) {
        double d = p[a] - c->eye[a];
        x += d * c->right[a], y -= d * c->up[a], z += d * c->forward[a];
    }
    if (z < -r) return;
    double distance = sqrt(x * x + y * y + z * z), spread = 1.2 * r / (z - r);
    if (z > 2 * r) {
        if (c->aperture > 0)
            spread += c->aperture * fmax(fabs(1 / (z - r) - 1 / c->focus), fabs(1 / (z + r) - 1 / c->focus));
        range[0][0] = (x / z - spread) / c->tan_x, range[0][1] = (x / z + spread) / c->tan_x;
        range[1][0] = (y / z - spread) / c->tan_y, range[1][1] = (y / z + spread) / c->tan_y;
    }
    int lo[2], hi[2];
    for (int a = 0; a < 2; a++) {
        lo[a] = (int)fmax((range[a][0] + 1) * 0.5 * pixels[a] / BW_SCREEN_TILE, 0);
        hi[a] = (int)fmin((range[a][1] + 1) * 0.5 * pixels[a] / BW_SCREEN_TILE, b->tiles[a] - 1);
    }
    for (int j = lo[1]; j <= hi[1]; j++)
        for (int i = lo[0]; i <= hi[0]; i++) {
            float *t = b->reach + 2 * (j * b->tiles[0] + i);
            t[0] = bw_least(t[0], (float)(distance - r - c->aperture));
            t[1] = bw_most(t[1], (float)(distance + r + c->aperture));
        }
}

static enum bw_status tiles_make(const struct bw_tools *tools, const struct bw_dense *box,
                                 const struct bw_camera *camera, const int32_t size[2], struct bw_blocks *b)
{
    for (int a = 0; a < 2; a++) b->tiles[a] = (size[a] + BW_SCREEN_TILE - 1) / BW_SCREEN_TILE;
    const int count = b->tiles[0] * b->tiles[1];
    b->reach = tools->alloc(tools->ctx, 2 * (size_t)count * sizeof(float));
    if (!b->reach) return BW_ERR_MEMORY;
    for (int i = 0; i < count; i++) b->reach[2 * i] = 1e30f;
    for (int k = 0; b->busy && k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                if (!b->busy[(k * b->n[1] + j) * b->n[0] + i]) continue;
                // from cell centre to cell centre
                const double half = 0.5 * BW_BLOCK * box->h, first = half + 0.5 * box->h;
                const double p[3] = {box->origin[0] + first + 2 * i * half, box->origin[1] + first + 2 * j * half,
                                     box->origin[2] + first + 2 * k * half};
                tiles_mark(b, camera, size, p, 1.75 * half);
            }
    return BW_OK;
}

enum bw_status bw_blocks_make(const struct bw_tools *tools, const struct bw_lit *lit, const struct bw_camera *camera,
                              const int32_t size[2], struct bw_blocks *b)
{
    enum bw_status status = busy_make(tools, lit, b);
    return status ? status : tiles_make(tools, &lit->box, camera, size, b);
}

void bw_blocks_free(const struct bw_tools *tools, struct bw_blocks *b)
{
    if (b->busy) tools->release(tools->ctx, b->busy);
    if (b->near) tools->release(tools->ctx, b->near);
    if (b->reach) tools->release(tools->ctx, b->reach);
    *b = (struct bw_blocks){0};
}
