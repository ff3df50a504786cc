// SPDX-License-Identifier: Apache-2.0
/* Which file a mesh is at present, and when its volumes are made: for a new file, a finer need, or a wider one. Voxels
 * are h/detail at the present scale rounded up to a power of two, so that they do not depend on the scales gone through
 * before. Closed parts are solid; parts with open edges have no inside and become walls. */
#include "mesh.h"
#include <common/archive.h>
#include <common/vec3.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 1e-3      ///< cells: a mesh that is smaller is none
#define MARGIN 6.382    ///< voxels beyond the band, where a mesh is cut: steps of the voxelising, strips; not round
#define BAND_SPARE 1.25 ///< wider than needed when it grows, so that a shrinking mesh does not ask again at once

/* ---- files ---- */

/* Take a file over from those in memory. */
static int file_take(struct mesh_source *m, int64_t number, struct mesh_file *out)
{
    for (int i = 0; i < 3; i++)
        if (m->file[i].n_triangles && m->file[i].number == number) {
            *out = m->file[i];
            m->file[i].n_triangles = 0;
            return 1;
        }
    return 0;
}

static enum bw_status file_get(struct bw_stage *s, const struct shape_mesh *p, struct mesh_source *m, int64_t number,
                               int needed, struct mesh_file *out)
{
    char path[SEQUENCE_PATH];
    if (file_take(m, number, out)) return BW_OK;
    enum bw_status status = sequence_file(s, &m->sequence, p->file, number, needed, path);
    if (status || !path[0]) return status;
    status = mesh_read(s, path, p->up, out);
    out->number = number;
    return status;
}

static void box_add(struct box3 *box, const struct box3 *other)
{
    for (int a = 0; a < 3; a++) {
        box->lo[a] = fmin(box->lo[a], other->lo[a]);
        box->hi[a] = fmax(box->hi[a], other->hi[a]);
    }
}

/* Load the file of the present frame and those beside it; what is not needed any more goes. */
static enum bw_status files_load(struct bw_stage *s, const struct shape_mesh *p, struct mesh_source *m,
                                 const int64_t number[3])
{
    struct mesh_file fresh[3] = {{0}};
    enum bw_status status = BW_OK;
    for (int i = 0; i < 3 && !status; i++)
        if (i == 1 || (number[i] >= 0 && number[i] != number[1] && (i == 0 || number[i] != number[0])))
            status = file_get(s, p, m, number[i], i == 1, &fresh[i]);
    for (int i = 0; i < 3; i++)
        if (m->file[i].n_triangles) mesh_file_free(s, &m->file[i]);
    memcpy(m->file, fresh, sizeof fresh);
    if (status) return status;
    m->box = m->file[1].box;
    for (int i = 0; i < 3; i += 2)
        if (m->file[i].n_triangles) box_add(&m->box, &m->file[i].box);
    m->changing = number[0] != number[1] || number[2] != number[1];
    m->ready = 0;
    return BW_OK;
}

static enum bw_status files_select(struct bw_stage *s, const struct shape_mesh *p, struct mesh_source *m)
{
    int64_t number[3] = {0, 0, 0};
    const double rate = m->sequence.files * fabs(p->speed),
                 apart = m->sequence.numbered && rate > 0 ? s->fps / rate : 0; // frames between two files
    for (int i = 0; i < 3 && m->sequence.numbered; i++)
        number[i] = sequence_number(s, &m->sequence, s->frame + (i - 1) * apart, 1);
    for (int i = 0; i < 3; i += 2) // what a gap holds tells nothing of how fast it moves
        if (m->sequence.numbered && llabs(number[i] - number[1]) > 1 && p->outside != SEQUENCE_LOOP) number[i] = -1;
    m->blank = number[1] < 0;
    int same = m->file[1].n_triangles && m->file[1].number == number[1];
    int changing = number[0] != number[1] || number[2] != number[1];
    if (m->blank || (same && changing == m->changing)) return BW_OK;
    return files_load(s, p, m, number);
}

static enum bw_status source_begin(struct bw_stage *s, const struct shape_mesh *p, struct mesh_source *m)
{
    m->sequence = (struct sequence){.offset = p->offset, .speed = p->speed, .outside = p->outside};
    enum bw_status status = sequence_begin(s, p->file, &m->sequence);
    m->begun = !status;
    return status;
}

/* ---- what is wrong with it ---- */

static const char *name_of(const struct mesh_file *f)
{
    const char *slash = strrchr(f->path, '/');
    return slash ? slash + 1 : f->path;
}

static void health_tell(struct bw_stage *s, const struct shape_mesh *p, struct mesh_source *m,
                        const struct mesh_health *health)
{
    const struct mesh_file *f = &m->file[1];
    s->host->log(s, BW_LOG_INFO, "%s: %lld triangles, %.3g x %.3g x %.3g m", name_of(f), (long long)f->n_triangles,
                 p->scale * (f->box.hi[0] - f->box.lo[0]), p->scale * (f->box.hi[1] - f->box.lo[1]),
                 p->scale * (f->box.hi[2] - f->box.lo[2]));
    if (f->writer)
        s->host->log(s, BW_LOG_INFO, "%s: written by %s, y is up; say `up: z` if it is not", name_of(f), f->writer);
    if (health->open_edges)
        s->host->log(s, BW_LOG_WARNING,
                     "%s is not closed, it has %lld open edges: its open parts have no inside, they "
                     "are walls %.3g m thick",
                     name_of(f), (long long)health->open_edges, mesh_thickness(s, p));
    if (health->turned)
        s->host->log(
            s, BW_LOG_WARNING,
            "%s crosses itself so that a part of it is inside out, as at (%.3g, %.3g, %.3g) of the file turned z "
            "up: that part counts as solid, too",
            name_of(f), health->turned_at[0], health->turned_at[1], health->turned_at[2]);
    m->told = 1;
}

/* Velocities of the present file's points from the files beside it; NULL where they tell nothing. */
static enum bw_status velocity_find(struct bw_stage *s, const struct shape_mesh *p, const struct mesh_source *m,
                                    double (**out)[3])
{
    const struct mesh_file *now = &m->file[1], *from = now, *to = now;
    int other = 0;
    *out = NULL;
    for (int i = 0; i < 3; i += 2) {
        const struct mesh_file *f = &m->file[i];
        if (!f->n_triangles) continue;
        if (f->n_points != now->n_points || f->n_triangles != now->n_triangles) other = 1;
        else if (i == 0) from = f;
        else to = f;
    }
    if (other)
        s->host->log(s, BW_LOG_WARNING,
                     "the numbers of points or faces change along %s: where they do, the surface "
                     "counts as at rest",
                     p->file);
    if (from == to) return BW_OK;
    double(*v)[3] = s->host->scratch(s, (size_t)now->n_points * sizeof *v);
    if (!v) return BW_ERR_MEMORY;
    double rate = m->sequence.files * fabs(p->speed) / ((from != now) + (to != now));
    for (int64_t i = 0; i < now->n_points; i++)
        for (int a = 0; a < 3; a++) v[i][a] = (to->point[i][a] - from->point[i][a]) * rate;
    *out = v;
    return BW_OK;
}

/* ---- volumes ---- */

static int box_is_anywhere(const struct box3 *box) { return !(box->hi[0] > box->lo[0]); }

static int box_holds(const struct box3 *box, const struct box3 *other)
{
    for (int a = 0; a < 3; a++)
        if (!(other->lo[a] >= box->lo[a] && other->hi[a] <= box->hi[a])) return 0;
    return !box_is_anywhere(other);
}

/* Half as large again to each side: what moves is not made anew with each step. */
static void box_grow(struct box3 *box)
{
    for (int a = 0; a < 3; a++) {
        const double more = 0.5 * (box->hi[a] - box->lo[a]);
        box->lo[a] -= more, box->hi[a] += more;
    }
}

/* The triangles of one part are listed, and the connected part of each. */
static int64_t part_list(const struct mesh_source *m, const struct mesh_health *health, enum mesh_part part,
                         int32_t (*list)[3], int32_t *connected)
{
    const struct mesh_file *f = &m->file[1];
    int64_t n = 0;
    for (int64_t t = 0; t < f->n_triangles; t++) {
        if ((m->hollow || health->open[t] ? MESH_SHEET : MESH_SOLID) != part) continue;
        memcpy(list[n], f->triangle[t], 12);
        connected[n++] = health->part[t];
    }
    return n;
}

/* All that can be felt in a box. */
static struct box3 felt_box(struct box3 box, double margin)
{
    for (int a = 0; a < 3; a++) box.lo[a] -= margin, box.hi[a] += margin;
    return box;
}

static enum bw_status volume_make(struct bw_stage *s, const struct mesh_plan *plan, struct mesh_source *m,
                                  struct mesh_volume *v)
{
    struct mesh_pieces pieces;
    enum bw_status status = mesh_cut(s, plan, &pieces);
    if (status) return status;
    m->cut |= pieces.is_cut;
    status = mesh_voxelise(s, plan, &pieces, v);
    mesh_pieces_free(s, &pieces);
    return status;
}

/* For all places in `made`. */
static enum bw_status volumes_make(struct bw_stage *s, const struct shape_mesh *p, double voxel, double band,
                                   struct mesh_source *m)
{
    struct mesh_health health = {0};
    double(*velocity)[3] = NULL;
    int32_t(*list)[3] = s->host->scratch(s, (size_t)m->file[1].n_triangles * sizeof *list);
    int32_t *connected = s->host->scratch(s, (size_t)m->file[1].n_triangles * sizeof *connected);
    enum bw_status status = list && connected ? BW_OK : BW_ERR_MEMORY;
    if (!status)
        status = mesh_examine(s, &m->file[1], m->told ? NULL : &m->made, 0.75 * s->grid->h / p->scale, &health);
    if (!status && !m->told) health_tell(s, p, m, &health);
    if (!status && m->changing) status = velocity_find(s, p, m, &velocity);
    m->hollow = p->hollow;
    m->cut = 0;
    for (int part = 0; part < MESH_PARTS && !status; part++) {
        const struct mesh_plan plan = {.file = &m->file[1],
                                       .triangle = (const int32_t(*)[3])list,
                                       .part = connected,
                                       .n_triangles = part_list(m, &health, part, list, connected),
                                       .sheet = part == MESH_SHEET,
                                       .box = box_is_anywhere(&m->made) ? m->made
                                                                        : felt_box(m->made, band + MARGIN * voxel),
                                       .voxel = voxel,
                                       .band = band,
                                       .velocity = (const double(*)[3])velocity};
        m->has[part] = plan.n_triangles > 0;
        if (m->has[part]) status = volume_make(s, &plan, m, &m->volume[part]);
    }
    m->ready = !status;
    return status;
}

double mesh_thickness(const struct bw_stage *s, const struct shape_mesh *p)
{
    return p->thickness > 0 ? p->thickness : 2 * s->grid->h;
}

static double mesh_size(const struct mesh_file *f)
{
    return fmax(f->box.hi[0] - f->box.lo[0], fmax(f->box.hi[1] - f->box.lo[1], f->box.hi[2] - f->box.lo[2]));
}

/* Voxel and band of the volumes in memory; none: 0. */
static const struct mesh_volume *volume_any(const struct mesh_source *m)
{
    return &m->volume[m->has[MESH_SOLID] ? MESH_SOLID : MESH_SHEET];
}

enum bw_status mesh_prepare(struct bw_stage *s, const struct shape_mesh *p, double reach, struct mesh_source *m)
{
    enum bw_status status = m->begun ? BW_OK : source_begin(s, p, m);
    if (!status) status = files_select(s, p, m);
    if (status || m->blank) return status;
    if (!(p->scale >= 0))
        return s->host->fail(s, BW_ERR_PRESET, "shape: scale is %g; it must not be negative", p->scale);
    if (p->thickness < 0)
        return s->host->fail(s, BW_ERR_PRESET, "shape: thickness is %g m; it must not be negative", p->thickness);
    if (reach < 0 || p->scale * mesh_size(&m->file[1]) < SMALL * s->grid->h) return BW_OK;
    double voxel = s->grid->h / ((double)p->detail * exp2(ceil(log2(p->scale))));
    double band = (reach + 0.5 * mesh_thickness(s, p)) / p->scale + 2 * voxel;
    const struct mesh_volume *v = volume_any(m);
    int wide = m->ready && v->voxel == voxel;
    if (wide && v->band >= band && m->hollow == p->hollow) {
        if (!m->cut || box_holds(&m->made, &m->asked)) return BW_OK;
        m->made = m->asked;
        box_grow(&m->made); // what was cut off comes near
        return volumes_make(s, p, voxel, v->band, m);
    }
    m->made = m->asked;
    return volumes_make(s, p, voxel, wide ? BAND_SPARE * band : band, m);
}

/* ---- between two runs ---- */

struct mesh_kept {
    uint64_t name;     ///< hash of the preset's path: another mesh begins anew
    int64_t number[3]; ///< files in memory; -1: none
    double voxel, band;
    struct box3 made; ///< for which they were made
    int32_t changing, blank, ready, told;
};

static struct mesh_kept kept_make(const struct shape_mesh *p, const struct mesh_source *m)
{
    const struct mesh_volume *v = volume_any(m);
    struct mesh_kept k = {.voxel = v->voxel,
                          .band = v->band,
                          .made = m->made,
                          .changing = m->changing,
                          .blank = m->blank,
                          .ready = m->ready,
                          .told = m->told};
    for (const char *c = p->file; *c; c++) k.name = bw_mix64(k.name + (unsigned char)*c);
    for (int i = 0; i < 3; i++) k.number[i] = m->file[i].n_triangles ? m->file[i].number : -1;
    return k;
}

static enum bw_status kept_take(struct bw_stage *s, const struct shape_mesh *p, const struct mesh_kept *k,
                                struct mesh_source *m)
{
    if (k->ready && !(k->voxel > 0 && k->band > 0 && k->number[1] >= 0))
        return s->host->fail(s, BW_ERR_IO, "checkpoint: the mesh has no voxels of %g", k->voxel);
    enum bw_status status = m->begun ? BW_OK : source_begin(s, p, m);
    if (!status && k->number[1] >= 0) status = files_load(s, p, m, k->number);
    m->changing = k->changing;
    m->blank = k->blank;
    m->told = k->told;
    m->made = k->made;
    return status || !k->ready ? status : volumes_make(s, p, k->voxel, k->band, m);
}

enum bw_status mesh_checkpoint(struct bw_stage *s, struct bw_archive *a, const struct shape_mesh *p,
                               struct mesh_source *m)
{
    const struct mesh_kept now = kept_make(p, m);
    struct mesh_kept k = now;
    if (!archive_has(a, "mesh")) return BW_OK;
    enum bw_status status = a->bytes(a, "mesh", &k, sizeof k);
    return status || !a->restoring || k.name != now.name ? status : kept_take(s, p, &k, m);
}
