// SPDX-License-Identifier: Apache-2.0
/* Stores a block's results in tiles and boundary faces, and checks them for NaN. */
#include "sweep.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>

static bool all_finite(const void *p, uint32_t elem, int32_t n)
{
    if (elem == 8) {
        const double *v = p;
        double zero[8] = {0};
        int32_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (int c = 0; c < 8; c++) zero[c] += 0 * v[i + c];
        for (; i < n; i++) zero[0] += 0 * v[i];
        for (int c = 1; c < 8; c++) zero[0] += zero[c];
        return zero[0] == 0;
    }
    const uint32_t *v = p;
    uint32_t sum[16] = {0}; // an exponent of ones carries into the sign
    int32_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int c = 0; c < 16; c++) sum[c] |= (v[i + c] & 0x7fffffffu) + 0x00800000u;
    for (; i < n; i++) sum[0] |= (v[i] & 0x7fffffffu) + 0x00800000u;
    for (int c = 1; c < 16; c++) sum[0] |= sum[c];
    return !(sum[0] >> 31);
}

void sweep_find_fault(const struct sweep_row *r, const struct sweep_block *p, const struct bw_view *v,
                      struct sweep_result *out)
{
    bool dense = v->sy == p->n[0] && v->sz == (ptrdiff_t)p->n[0] * p->n[1], good = dense;
    for (uint32_t c = 0; good && c < r->f->info.comps; c++)
        good = all_finite(v->data[c], r->f->elem, p->n[0] * p->n[1] * p->n[2]);
    for (uint32_t c = 0; c < r->f->info.comps && !good; c++)
        for (int32_t k = 0; k < p->n[2]; k++)
            for (int32_t y = 0; y < p->n[1]; y++) {
                const char *line = (const char *)v->data[c] + (size_t)(y * v->sy + k * v->sz) * r->f->elem;
                if (all_finite(line, r->f->elem, p->n[0])) continue;
                int32_t i = 0;
                while (all_finite(line + (size_t)i * r->f->elem, r->f->elem, 1)) i++;
                out->status = BW_ERR_DIVERGED;
                out->fault = (struct bw_sweep_fault){r->f, {p->lo[0] + i, p->lo[1] + y, p->lo[2] + k}};
                return;
            }
}

/* The plane of high faces goes to the tile's boundary faces where it has no active neighbour. */
static enum bw_status boundary_faces_store(const struct sweep_job *j, struct sweep_row *r, uint32_t c, int64_t t,
                                           const struct bw_view *v, const int32_t off[3], const int32_t n[3])
{
    const int32_t *td = j->d->info.tile;
    if (j->d->topo->neighbour[t][2 * c + 1] >= 0) return BW_OK;
    size_t bytes = bw_field_boundary_faces(&j->d->info, (int)c) * r->f->elem;
    if (r->fresh && !(r->boundary_faces[c][t] = bw_alloc_aligned(bytes))) return BW_ERR_MEMORY;
    char *faces = r->fresh ? r->boundary_faces[c][t] : r->f->src.boundary_faces[c][t];
    memset(faces, 0, bytes);
    if (n[c] < td[c]) return BW_OK; /* the box ends inside this tile: that face is stored in the tile itself */
    int u = c == 0 ? 1 : 0, w = c == 2 ? 1 : 2;
    ptrdiff_t stride[3] = {1, v->sy, v->sz};
    for (int32_t b = 0; b < n[w]; b++)
        for (int32_t a = 0; a < n[u]; a++) {
            ptrdiff_t from = (off[c] + n[c]) * stride[c] + (off[u] + a) * stride[u] + (off[w] + b) * stride[w];
            memcpy(faces + (size_t)(a + td[u] * b) * r->f->elem, (char *)v->data[c] + (size_t)from * r->f->elem,
                   r->f->elem);
        }
    return BW_OK;
}

/* The boundary plane that only this tile stores: the NaN watch has not seen it yet. */
static bool edge_finite(const struct sweep_job *j, const struct sweep_row *r, uint32_t c, int64_t t, const int32_t n[3])
{
    const int32_t *td = j->d->info.tile;
    const char *faces = r->fresh ? r->boundary_faces[c][t] : r->f->src.boundary_faces[c][t];
    const char *data = r->fresh ? r->data[c][t] : r->f->src.data[c][t];
    if (!faces) return true;
    if (n[c] == td[c]) return all_finite(faces, r->f->elem, (int32_t)bw_field_boundary_faces(&j->d->info, (int)c));
    int u = c == 0 ? 1 : 0, w = c == 2 ? 1 : 2;
    ptrdiff_t stride[3] = {1, td[0], (ptrdiff_t)td[0] * td[1]};
    for (int32_t b = 0; b < n[w]; b++)
        for (int32_t a = 0; a < n[u]; a++)
            if (!all_finite(data + (size_t)(n[c] * stride[c] + a * stride[u] + b * stride[w]) * r->f->elem, r->f->elem,
                            1))
                return false;
    return true;
}

typedef uint32_t lanes32 __attribute__((vector_size(16)));
typedef uint64_t lanes64 __attribute__((vector_size(16)));

/// Rows of a box of `n` rows by planes, bytes apart.
struct rows {
    char *to;
    const char *from;
    ptrdiff_t to_step[2], from_step[2];
    int32_t n[2], bytes;
};

/* Copy and NaN watch at once, 64 bytes at a time as rows of whole tiles have them: a few vector moves instead of calls,
 * and written as vectors, for compilers unroll a loop of sixteen before they think of them. Of a double's two halves
 * the upper one tells; no lower one is all that is looked for. */
static bool rows_copy_64(const struct rows *r, uint32_t elem)
{
    const uint32_t top = elem == 4 ? 0x7f800000u : 0x7ff00000u;
    const lanes32 mask = elem == 4 ? (lanes32){top, top, top, top} : (lanes32){0, top, 0, top},
                  full = {elem == 4 ? top : 1, top, elem == 4 ? top : 1, top};
    lanes32 bits[4], bad[4] = {{0}};
    for (int32_t k = 0; k < r->n[1]; k++) {
        char *to = r->to + k * r->to_step[1];
        const char *from = r->from + k * r->from_step[1];
        for (int32_t j = 0; j < r->n[0]; j++, to += r->to_step[0], from += r->from_step[0])
            for (int32_t at = 0; at < r->bytes; at += 64) {
                memcpy(bits, from + at, 64);
                for (int i = 0; i < 4; i++) bad[i] |= (lanes32)((bits[i] & mask) == full);
                memcpy(to + at, bits, 64);
            }
    }
    const lanes64 any = (lanes64)((bad[0] | bad[1]) | (bad[2] | bad[3]));
    return !(any[0] | any[1]);
}

static bool rows_copy_finite(const struct rows *r, uint32_t elem)
{
    bool finite = true;
    if (r->bytes % 64 == 0) return rows_copy_64(r, elem);
    for (int32_t k = 0; k < r->n[1]; k++)
        for (int32_t j = 0; j < r->n[0]; j++) {
            const char *from = r->from + j * r->from_step[0] + k * r->from_step[1];
            memcpy(r->to + j * r->to_step[0] + k * r->to_step[1], from, (size_t)r->bytes);
            finite &= all_finite(from, elem, r->bytes / (int32_t)elem);
        }
    return finite;
}

/* Copy one tile's share of a dense result to its block. */
static enum bw_status tile_store(struct sweep_job *j, struct sweep_row *r, int64_t t, const struct sweep_block *p,
                                 const struct bw_view *v, struct sweep_result *out)
{
    const int32_t *td = j->d->info.tile;
    int32_t off[3], n[3];
    for (int a = 0; a < 3; a++) {
        off[a] = j->d->topo->coord[t][a] * td[a] - p->lo[a];
        n[a] = p->n[a] - off[a] < td[a] ? p->n[a] - off[a] : td[a];
    }
    for (uint32_t c = 0; c < r->f->info.comps; c++) {
        void **slot = r->fresh ? &r->data[c][t] : &r->f->src.data[c][t];
        if (r->fresh || bw_pool_shared(*slot)) {
            void *fresh = bw_pool_get(r->f->pool);
            if (!fresh) return BW_ERR_MEMORY;
            if (!p->whole && r->fresh) memset(fresh, 0, (size_t)BW_TILE_CELLS * r->f->elem);
            if (!p->whole && !r->fresh) memcpy(fresh, *slot, (size_t)BW_TILE_CELLS * r->f->elem);
            if (!r->fresh) bw_pool_unref(*slot);
            *slot = fresh;
        }
        int32_t m[3] = {n[0], n[1], n[2]};
        if (!sweep_is_cell(r) && m[c] < td[c] && (!r->own || p->high[c]))
            m[c]++; /* the boundary face inside a tile that the box cuts */
        const ptrdiff_t elem = r->f->elem, row = td[0] * elem;
        const ptrdiff_t first = (off[0] + off[1] * v->sy + off[2] * v->sz) * elem;
        const struct rows rows = {.to = *slot,
                                  .from = (const char *)v->data[c] + first,
                                  .to_step = {row, row * td[1]},
                                  .from_step = {v->sy * elem, v->sz * elem},
                                  .n = {m[1], m[2]},
                                  .bytes = m[0] * (int32_t)elem};
        const bool finite = rows_copy_finite(&rows, r->f->elem);
        if (!finite) {
            sweep_find_fault(r, p, v, out);
            if (out->status != BW_OK) return out->status;
        }
        if (!sweep_is_cell(r)) {
            enum bw_status status = boundary_faces_store(j, r, c, t, v, off, n);
            if (status != BW_OK) return status;
            if (edge_finite(j, r, c, t, n)) continue;
            out->fault = (struct bw_sweep_fault){r->f, {p->lo[0] + off[0], p->lo[1] + off[1], p->lo[2] + off[2]}};
            out->fault.cell[c] += n[c];
            return BW_ERR_DIVERGED;
        }
    }
    return BW_OK;
}

/* A block that leaves a row alone keeps its old tiles; boundary faces are copied, for neighbours still read the old
 * ones. */
static enum bw_status row_keep(struct sweep_job *j, struct sweep_row *r, int64_t t)
{
    for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++) {
        bw_pool_ref(r->data[c][t] = r->f->src.data[c][t]);
        const void *faces = sweep_is_cell(r) ? NULL : r->f->src.boundary_faces[c][t];
        if (!faces) continue;
        size_t bytes = bw_field_boundary_faces(&j->d->info, (int)c) * r->f->elem;
        if (!(r->boundary_faces[c][t] = bw_alloc_aligned(bytes))) return BW_ERR_MEMORY;
        memcpy(r->boundary_faces[c][t], faces, bytes);
    }
    return BW_OK;
}

enum bw_status sweep_row_store(struct sweep_job *j, struct sweep_row *r, const struct sweep_block *p,
                               const struct bw_view *v, struct sweep_result *out)
{
    int32_t q[3];
    for (q[2] = p->tile[2]; q[2] < p->tile[2] + p->tiles[2]; q[2]++)
        for (q[1] = p->tile[1]; q[1] < p->tile[1] + p->tiles[1]; q[1]++)
            for (q[0] = p->tile[0]; q[0] < p->tile[0] + p->tiles[0]; q[0]++) {
                int64_t t = bw_topo_index(j->d->topo, q);
                enum bw_status status = t < 0         ? BW_OK
                                        : v->halo < 0 ? row_keep(j, r, t)
                                                      : tile_store(j, r, t, p, v, out);
                if (status != BW_OK) return status;
            }
    return BW_OK;
}
