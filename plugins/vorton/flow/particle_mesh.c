// SPDX-License-Identifier: Apache-2.0
/* Particle–mesh method for unbounded space (Hockney & Eastwood 1988; Essmann et al. 1995, "smooth particle mesh
 * Ewald").
 *
 * Strengths go to a mesh by B-splines of order 6, are convolved with the velocity kernel of a Gaussian core σ = core·h
 *     K(r) = -q(|r|/σ) r/(4π|r|³),   q(ρ) = erf(ρ/√2) - √(2/π) ρ exp(-ρ²/2),   u = K × α
 * and the velocity comes back by the same splines, its gradient by their derivatives. The convolution is exact for a
 * free space: the mesh is doubled by zeros, and K, sampled in space, is transformed as the odd and even function it is;
 * what the splines blur is divided out of its transform. From core = 1.5 on the error is that of the splines, some
 * 1e-4.
 *
 * Transforms are done by rows, by planes, and last along z, slab by slab, so that the doubled half along z exists in a
 * worker's memory only. Sums go in the order of vortons: the same bits for any number of threads. */
#include "particle_mesh.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
enum { ORDER = 6, SLAB = 8, POINTS = 1024 };

/* ---- splines ----------------------------------------------------------------------------------------------------- */

/// Weights of nodes 0 … ORDER-1 from the cell's on, at fraction f of the cell, and their derivatives.
static void spline(float f, float w[ORDER], float d[ORDER])
{
    w[0] = 1 - f;
    w[1] = f;
    for (int n = 3; n <= ORDER; n++) {
        const float per = 1.0f / (float)(n - 1);
        if (n == ORDER) {
            d[0] = -w[0];
            for (int j = 1; j < ORDER - 1; j++) d[j] = w[j - 1] - w[j];
            d[ORDER - 1] = w[ORDER - 2];
        }
        w[n - 1] = per * f * w[n - 2];
        for (int j = n - 2; j > 0; j--)
            w[j] = per * ((f + (float)(n - 1 - j)) * w[j - 1] + ((float)(1 + j) - f) * w[j]);
        w[0] *= per * (1 - f);
    }
}

/// What spreading and reading by splines multiply the transform by, at frequency k of 2n.
static double spline_factor(int32_t k, int32_t n)
{
    const double t = PI * k / n, once = (66 + 52 * cos(t) + 2 * cos(2 * t)) / 120;
    return once * once;
}

/// Where a place lies: the first of its nodes along each axis, and weights.
struct place {
    int32_t at[3];
    float w[3][ORDER], d[3][ORDER];
};

static void place_find(const struct particle_mesh *m, const double x[3], struct place *p)
{
    for (int a = 0; a < 3; a++) {
        const double u = (x[a] - m->origin[a]) / m->h;
        p->at[a] = (int32_t)u;
        spline((float)(u - p->at[a]), p->w[a], p->d[a]);
    }
}

static float *mesh_row(const struct particle_mesh *m, int c, int32_t y, int32_t z)
{
    return (float *)(m->data[c] + ((size_t)z * 2 * (size_t)m->n[1] + (size_t)y) * (size_t)m->pitch);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

/// The least 2^a 3^b 5^c that is not below n.
static int32_t size_good(int32_t n)
{
    for (;; n++) {
        int32_t rest = n;
        for (int f = 2; f <= 5; f++)
            while (rest % f == 0) rest /= f;
        if (rest == 1) return n;
    }
}

static int32_t size_of(double extent, double h) { return size_good((int32_t)ceil(extent / h) + ORDER + 2); }

double particle_mesh_nodes(const double lo[3], const double hi[3], double h)
{
    double nodes = 1;
    for (int a = 0; a < 3; a++) nodes *= (hi[a] - lo[a]) / h < 1e6 ? size_of(hi[a] - lo[a], h) : 1e6;
    return nodes;
}

/* ---- kernel ------------------------------------------------------------------------------------------------------ */

static double core_share(double rho) { return erf(rho / sqrt(2)) - sqrt(2 / PI) * rho * exp(-0.5 * rho * rho); }

/// Sampled component c; along it from node 1 to n-1 (odd), along the others from 0 to n (even).
struct sampling {
    const struct particle_mesh *m;
    int c, n[3];
    double *value;
};

static void kernel_sample(int64_t z, uint32_t worker, void *user)
{
    const struct sampling *k = user;
    (void)worker;
    for (int y = 0; y < k->n[1]; y++)
        for (int x = 0; x < k->n[0]; x++) {
            const double r[3] = {x + (k->c == 0), y + (k->c == 1), (double)z + (k->c == 2)};
            const double l = vec3_length(r);
            k->value[x + k->n[0] * ((size_t)y + (size_t)k->n[1] * (size_t)z)] =
                -core_share(l / k->m->core) * r[k->c] / (4 * PI * l * l * l);
        }
}

/// Put the transform of a sampled component, over i and without what splines blur, where the frequencies have it.
static void kernel_store(const struct sampling *k)
{
    const struct particle_mesh *m = k->m;
    const double size = 8.0 * m->n[0] * m->n[1] * m->n[2];
    float *to = m->kernel[k->c];
    for (int32_t z = 0; z <= m->n[2]; z++)
        for (int32_t y = 0; y <= m->n[1]; y++)
            for (int32_t x = 0; x <= m->n[0]; x++, to++) {
                const int32_t f[3] = {x, y, z}, odd = f[k->c];
                const int32_t at[3] = {x - (k->c == 0), y - (k->c == 1), z - (k->c == 2)};
                *to = 0;
                if (odd == 0 || odd == m->n[k->c]) continue;
                double blur = size;
                for (int a = 0; a < 3; a++) blur *= spline_factor(f[a], m->n[a]);
                *to = (float)(-k->value[at[0] + k->n[0] * ((size_t)at[1] + (size_t)k->n[1] * (size_t)at[2])] / blur);
            }
}

static enum bw_status kernel_make(struct bw_stage *s, struct particle_mesh *m)
{
    const size_t count = (size_t)(m->n[0] + 1) * (size_t)(m->n[1] + 1) * (size_t)(m->n[2] + 1);
    float *kernel = buffer_need(s, &m->memory[0], 3 * count * sizeof *kernel);
    double *value = fftw_alloc_real(count);
    if (!kernel || !value) {
        fftw_free(value);
        return BW_ERR_MEMORY;
    }
    for (int c = 0; c < 3; c++) {
        struct sampling k = {m, c, {m->n[0] + 1, m->n[1] + 1, m->n[2] + 1}, value};
        fftw_r2r_kind kind[3] = {FFTW_REDFT00, FFTW_REDFT00, FFTW_REDFT00};
        k.n[c] -= 2;
        kind[c] = FFTW_RODFT00;
        m->kernel[c] = kernel + (size_t)c * count;
        fftw_plan plan =
            fftw_plan_r2r_3d(k.n[2], k.n[1], k.n[0], value, value, kind[2], kind[1], kind[0], FFTW_ESTIMATE);
        s->host->parallel_for(s, k.n[2], kernel_sample, &k);
        if (plan) fftw_execute(plan);
        fftw_destroy_plan(plan);
        kernel_store(&k);
    }
    fftw_free(value);
    return BW_OK;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void plans_free(struct particle_mesh *m)
{
    fftwf_plan *all[] = {&m->row, &m->row_back, &m->column, &m->column_back, &m->deep, &m->deep_back};
    for (size_t i = 0; i < BW_COUNT(all); i++) {
        fftwf_destroy_plan(*all[i]);
        *all[i] = NULL;
    }
}

void particle_mesh_free(struct particle_mesh *m)
{
    plans_free(m);
    m->ready = 0;
}

/// Transforms of one plane's rows, of its columns, and of a slab along z; all in place.
static enum bw_status plans_make(struct particle_mesh *m, fftwf_complex *plane, fftwf_complex *slab)
{
    const int wide = m->n[0] + 1, n0 = 2 * m->n[0], n1 = 2 * m->n[1], n2 = 2 * m->n[2], p = m->pitch;
    plans_free(m);
    m->row = fftwf_plan_many_dft_r2c(1, &n0, m->n[1], (float *)plane, NULL, 1, 2 * p, plane, NULL, 1, p, FFTW_ESTIMATE);
    m->row_back =
        fftwf_plan_many_dft_c2r(1, &n0, m->n[1], plane, NULL, 1, p, (float *)plane, NULL, 1, 2 * p, FFTW_ESTIMATE);
    m->column = fftwf_plan_many_dft(1, &n1, wide, plane, NULL, p, 1, plane, NULL, p, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    m->column_back =
        fftwf_plan_many_dft(1, &n1, wide, plane, NULL, p, 1, plane, NULL, p, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    m->deep = fftwf_plan_many_dft(1, &n2, wide, slab, NULL, p, 1, slab, NULL, p, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    m->deep_back = fftwf_plan_many_dft(1, &n2, wide, slab, NULL, p, 1, slab, NULL, p, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    return m->row && m->row_back && m->column && m->column_back && m->deep && m->deep_back ? BW_OK : BW_ERR_MEMORY;
}

/* ---- one evaluation ---------------------------------------------------------------------------------------------- */

struct task {
    struct particle_mesh *m;
    const struct vortons *v;
    const bw_vec3 *pos;
    int64_t count;
    double *velocity, *gradient;
    fftwf_complex *slab; ///< per worker: 3 × 2 n[2] rows
};

/// Vortons by the lowest plane that they reach, in their own order.
static enum bw_status vortons_sort(struct bw_stage *s, struct task *t)
{
    struct particle_mesh *m = t->m;
    int32_t *all = buffer_need(s, &m->memory[3], (size_t)(t->v->count + m->n[2] + 1) * sizeof *all);
    if (!all) return BW_ERR_MEMORY;
    m->begin = all;
    m->order = all + m->n[2] + 1;
    memset(m->begin, 0, (size_t)(m->n[2] + 1) * sizeof *m->begin);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = t->v->count - 1; i >= 0; i--) {
            const int32_t z = (int32_t)((t->v->pos[i][2] - m->origin[2]) / m->h);
            if (pass) m->order[--m->begin[z]] = (int32_t)i;
            else m->begin[z]++;
        }
        for (int32_t z = 0; z < m->n[2] && !pass; z++) m->begin[z + 1] += m->begin[z];
    }
    return BW_OK; // begin[z] is the first vorton of plane z, begin[n] their number
}

/// The planes of one slab get their share of all vortons that reach them.
static void slab_spread(int64_t slab, uint32_t worker, void *user)
{
    const struct task *t = user;
    const struct particle_mesh *m = t->m;
    const int32_t lo = (int32_t)slab * SLAB, hi = lo + SLAB < m->n[2] ? lo + SLAB : m->n[2];
    const int32_t from = lo - ORDER + 1 > 0 ? lo - ORDER + 1 : 0;
    (void)worker;
    for (int c = 0; c < 3; c++)
        memset(mesh_row(m, c, 0, lo), 0,
               (size_t)(hi - lo) * 2 * (size_t)m->n[1] * (size_t)m->pitch * sizeof(fftwf_complex));
    for (int32_t i = m->begin[from]; i < m->begin[hi]; i++) {
        const int32_t p = m->order[i];
        struct place q;
        place_find(m, t->v->pos[p], &q);
        for (int32_t z = q.at[2] > lo ? q.at[2] : lo; z < q.at[2] + ORDER && z < hi; z++)
            for (int j = 0; j < ORDER; j++) {
                const float w = q.w[2][z - q.at[2]] * q.w[1][j];
                for (int c = 0; c < 3; c++) {
                    float *row = mesh_row(m, c, q.at[1] + j, z) + q.at[0];
                    const float part = w * (float)t->v->strength[p][c];
                    for (int x = 0; x < ORDER; x++) row[x] += part * q.w[0][x];
                }
            }
    }
}

static void plane_forward(int64_t i, uint32_t worker, void *user)
{
    const struct particle_mesh *m = ((const struct task *)user)->m;
    fftwf_complex *plane = (fftwf_complex *)mesh_row(m, (int)(i % 3), 0, (int32_t)(i / 3));
    (void)worker;
    fftwf_execute_dft_r2c(m->row, (float *)plane, plane);
    fftwf_execute_dft(m->column, plane, plane);
}

static void plane_backward(int64_t i, uint32_t worker, void *user)
{
    const struct particle_mesh *m = ((const struct task *)user)->m;
    fftwf_complex *plane = (fftwf_complex *)mesh_row(m, (int)(i % 3), 0, (int32_t)(i / 3));
    (void)worker;
    fftwf_execute_dft(m->column_back, plane, plane);
    fftwf_execute_dft_c2r(m->row_back, plane, (float *)plane);
}

/// û = iκ × α̂ in one row of frequencies; κ is odd along its own axis.
static void row_convolve(const struct particle_mesh *m, int32_t y, int32_t z, fftwf_complex *const u[3])
{
    const int32_t fy = y <= m->n[1] ? y : 2 * m->n[1] - y, fz = z <= m->n[2] ? z : 2 * m->n[2] - z;
    const float sy = y <= m->n[1] ? 1 : -1, sz = z <= m->n[2] ? 1 : -1;
    const size_t row = (size_t)(m->n[0] + 1) * ((size_t)fy + (size_t)(m->n[1] + 1) * (size_t)fz);
    for (int32_t x = 0; x <= m->n[0]; x++) {
        const float k[3] = {m->kernel[0][row + (size_t)x], sy * m->kernel[1][row + (size_t)x],
                            sz * m->kernel[2][row + (size_t)x]};
        float a[3][2];
        for (int c = 0; c < 3; c++)
            for (int e = 0; e < 2; e++) a[c][e] = u[c][x][e];
        for (int c = 0, d = 1, e = 2; c < 3; c++, d = (d + 1) % 3, e = (e + 1) % 3) {
            u[c][x][0] = -(k[d] * a[e][1] - k[e] * a[d][1]);
            u[c][x][1] = k[d] * a[e][0] - k[e] * a[d][0];
        }
    }
}

/// All frequencies with one y.
static void slab_convolve(int64_t y, uint32_t worker, void *user)
{
    const struct task *t = user;
    const struct particle_mesh *m = t->m;
    const size_t p = (size_t)m->pitch, deep = 2 * (size_t)m->n[2],
                 bytes = (size_t)(m->n[0] + 1) * sizeof(fftwf_complex);
    fftwf_complex *u[3];
    for (int c = 0; c < 3; c++) {
        u[c] = t->slab + (3 * (size_t)worker + (size_t)c) * deep * p;
        for (int32_t z = 0; z < m->n[2]; z++) memcpy(u[c] + (size_t)z * p, mesh_row(m, c, (int32_t)y, z), bytes);
        memset(u[c] + (size_t)m->n[2] * p, 0, (size_t)m->n[2] * p * sizeof(fftwf_complex));
        fftwf_execute_dft(m->deep, u[c], u[c]);
    }
    for (size_t z = 0; z < deep; z++)
        row_convolve(m, (int32_t)y, (int32_t)z, (fftwf_complex *const[3]){u[0] + z * p, u[1] + z * p, u[2] + z * p});
    for (int c = 0; c < 3; c++) {
        fftwf_execute_dft(m->deep_back, u[c], u[c]);
        for (int32_t z = 0; z < m->n[2]; z++) memcpy(mesh_row(m, c, (int32_t)y, z), u[c] + (size_t)z * p, bytes);
    }
}

/// One component and, if asked for, its derivatives along x, y, z.
static void component_read(const struct particle_mesh *m, const struct place *q, int c, int gradient, float out[4])
{
    out[0] = out[1] = out[2] = out[3] = 0;
    for (int k = 0; k < ORDER; k++)
        for (int j = 0; j < ORDER; j++) {
            const float *row = mesh_row(m, c, q->at[1] + j, q->at[2] + k) + q->at[0];
            float sum = 0, slope = 0;
            for (int i = 0; i < ORDER; i++) sum += q->w[0][i] * row[i];
            out[0] += q->w[2][k] * q->w[1][j] * sum;
            if (!gradient) continue;
            for (int i = 0; i < ORDER; i++) slope += q->d[0][i] * row[i];
            out[1] += q->w[2][k] * q->w[1][j] * slope;
            out[2] += q->w[2][k] * q->d[1][j] * sum;
            out[3] += q->d[2][k] * q->w[1][j] * sum;
        }
}

static void points_read(int64_t block, uint32_t worker, void *user)
{
    const struct task *t = user;
    const struct particle_mesh *m = t->m;
    const double per = 1 / (m->h * m->h);
    (void)worker;
    for (int64_t i = block * POINTS; i < t->count && i < (block + 1) * POINTS; i++) {
        struct place q;
        place_find(m, t->pos[i], &q);
        for (int c = 0; c < 3; c++) {
            float u[4];
            component_read(m, &q, c, t->gradient != NULL, u);
            t->velocity[3 * i + c] += per * (double)u[0];
            for (int a = 0; t->gradient && a < 3; a++) t->gradient[9 * i + 3 * c + a] += per / m->h * (double)u[1 + a];
        }
    }
}

static void box_add(int64_t count, const bw_vec3 *pos, double lo[3], double hi[3])
{
    for (int64_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], pos[i][a]);
            hi[a] = fmax(hi[a], pos[i][a]);
        }
}

/// Memory, plans and kernel for this size.
static enum bw_status mesh_fit(struct bw_stage *s, struct task *t, const int32_t n[3], double core)
{
    struct particle_mesh *m = t->m;
    const int same = m->ready && memcmp(n, m->n, sizeof m->n) == 0 && core == m->core;
    memcpy(m->n, n, sizeof m->n);
    m->core = core;
    m->pitch = (m->n[0] + 8) / 8 * 8;
    const size_t rows = 2 * (size_t)n[1] * (size_t)n[2], p = (size_t)m->pitch;
    fftwf_complex *data = buffer_need(s, &m->memory[1], 3 * rows * p * sizeof *data);
    t->slab = buffer_need(s, &m->memory[2], s->host->workers * 6 * (size_t)n[2] * p * sizeof *t->slab);
    if (!data || !t->slab) return BW_ERR_MEMORY;
    for (int c = 0; c < 3; c++) m->data[c] = data + (size_t)c * rows * p;
    if (same) return BW_OK;
    m->ready = 0;
    enum bw_status st = plans_make(m, data, t->slab);
    if (!st) st = kernel_make(s, m);
    m->ready = !st;
    return st;
}

enum bw_status particle_mesh_evaluate(struct bw_stage *s, struct particle_mesh *m, const struct vortons *v, double h,
                                      double core, int64_t count, const bw_vec3 *pos, double *velocity,
                                      double *gradient)
{
    struct task t = {.m = m, .v = v, .pos = pos, .count = count, .velocity = velocity, .gradient = gradient};
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int32_t n[3];
    box_add(v->count, v->pos, lo, hi);
    box_add(count, pos, lo, hi);
    m->h = h;
    for (int a = 0; a < 3; a++) {
        n[a] = size_of(hi[a] - lo[a], h);
        m->origin[a] = lo[a] - 0.5 * h;
    }
    enum bw_status st = mesh_fit(s, &t, n, core);
    if (!st) st = vortons_sort(s, &t);
    if (st) return st;
    s->host->parallel_for(s, (n[2] + SLAB - 1) / SLAB, slab_spread, &t);
    s->host->parallel_for(s, 3 * (int64_t)n[2], plane_forward, &t);
    s->host->parallel_for(s, 2 * (int64_t)n[1], slab_convolve, &t);
    s->host->parallel_for(s, 3 * (int64_t)n[2], plane_backward, &t);
    s->host->parallel_for(s, (count + POINTS - 1) / POINTS, points_read, &t);
    return BW_OK;
}
