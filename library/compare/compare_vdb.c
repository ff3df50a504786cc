// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <common/openvdb/contents/contents.h>
#include <stdio.h>
#include <string.h>

/* `of`: whose they are, "" for the file's own. */
static void meta_compare(const struct file_pair *c, const char *of, const struct bwvdb_meta *a, uint32_t n_a,
                         const struct bwvdb_meta *b, uint32_t n_b)
{
    for (uint32_t i = 0; i < n_a; i++) {
        const struct bwvdb_meta *m = bwvdb_meta_find(b, n_b, a[i].key);
        if (m && !strcmp(m->string, a[i].string)) continue;
        difference_add(c, "metadata", NULL, "%s%s: %s → %s", of, a[i].key, a[i].string, m ? m->string : "nothing");
    }
    for (uint32_t i = 0; i < n_b; i++)
        if (!bwvdb_meta_find(a, n_a, b[i].key))
            difference_add(c, "metadata", NULL, "%s%s: nothing → %s", of, b[i].key, b[i].string);
}

static void place_compare(const struct file_pair *c, const struct bwvdb_info *a, const struct bwvdb_info *b)
{
    if (a->voxel[0] != b->voxel[0])
        difference_add(c, "voxel", json_pack("{s:s, s:f, s:f}", "grid", a->name, "a", a->voxel[0], "b", b->voxel[0]),
                       "grid %s: voxels of %g, of %g", a->name, a->voxel[0], b->voxel[0]);
    else if (memcmp(a->matrix, b->matrix, sizeof a->matrix))
        difference_add(c, "transform", json_pack("{s:s}", "grid", a->name), "grid %s: lies elsewhere", a->name);
    if (a->grid_class != b->grid_class || a->vector_type != b->vector_type || a->half != b->half)
        difference_add(c, "class", json_pack("{s:s}", "grid", a->name), "grid %s: is of another class or precision",
                       a->name);
}

static void values_compare(const struct file_pair *c, const char *name, const struct vdb_difference *d)
{
    if (d->only_a || d->only_b)
        difference_add(c, "active",
                       json_pack("{s:s, s:I, s:I}", "grid", name, "only_a", (json_int_t)d->only_a, "only_b",
                                 (json_int_t)d->only_b),
                       "grid %s: %lld voxels are active in the first alone, %lld in the second", name,
                       (long long)d->only_a, (long long)d->only_b);
    if (d->differ)
        difference_add(
            c, "values",
            json_pack("{s:s, s:I, s:I, s:o, s:o, s:[i,i,i], s:o, s:o}", "grid", name, "differ", (json_int_t)d->differ,
                      "of", (json_int_t)d->either, "max", json_finite(d->most), "mean", json_finite(d->mean), "at",
                      (int)d->at[0], (int)d->at[1], (int)d->at[2], "a", json_finite(d->a), "b", json_finite(d->b)),
            "grid %s: %lld of %lld voxels differ, by %.4g at most, at (%d, %d, %d): %.6g, %.6g; mean %.4g", name,
            (long long)d->differ, (long long)d->either, d->most, d->at[0], d->at[1], d->at[2], d->a, d->b, d->mean);
}

static void grids_compare(const struct file_pair *c, struct bwvdb_file *a, int32_t i, struct bwvdb_file *b, int32_t k)
{
    const struct bwvdb_info *x = bwvdb_grid_info(a, i), *y = bwvdb_grid_info(b, k);
    struct bwvdb_error why;
    struct vdb_difference d;
    char of[300];
    snprintf(of, sizeof of, "grid %.280s: ", x->name);
    meta_compare(c, of, x->meta, x->n_meta, y->meta, y->n_meta);
    place_compare(c, x, y);
    if (strcmp(x->type, y->type)) {
        difference_add(c, "type", json_pack("{s:s}", "grid", x->name), "grid %s: %s, %s", x->name, x->type, y->type);
        return;
    }
    if (!x->comps) {
        if (x->active != y->active)
            difference_add(c, "active", json_pack("{s:s}", "grid", x->name), "grid %s: %lld voxels, %lld", x->name,
                           (long long)x->active, (long long)y->active);
        return; // points and the like: their bytes differ, or they do not
    }
    if (bwvdb_load(a, i, &why) || bwvdb_load(b, k, &why) || vdb_difference_find(a, i, b, k, &d, &why))
        difference_add(c, "unreadable", NULL, "%s", why.text);
    else values_compare(c, x->name, &d);
    for (int q = 0; q < 3; q++)
        if (x->background[q] != y->background[q]) {
            difference_add(c, "background", json_pack("{s:s}", "grid", x->name), "grid %s: background %g, %g", x->name,
                           x->background[q], y->background[q]);
            break;
        }
}

static void both_compare(const struct file_pair *c, struct bwvdb_file *a, struct bwvdb_file *b)
{
    uint32_t n_a, n_b;
    const struct bwvdb_meta *m_a = bwvdb_file_meta(a, &n_a), *m_b = bwvdb_file_meta(b, &n_b);
    meta_compare(c, "", m_a, n_a, m_b, n_b);
    for (int32_t i = 0; i < bwvdb_count(a); i++) {
        const char *name = bwvdb_grid_info(a, i)->name;
        int32_t k = bwvdb_find(b, name);
        if (k >= 0 && k < bwvdb_count(b)) grids_compare(c, a, i, b, k);
        else difference_add(c, "grid-only-a", json_pack("{s:s}", "grid", name), "grid %s is in the first alone", name);
    }
    for (int32_t k = 0; k < bwvdb_count(b); k++) {
        const char *name = bwvdb_grid_info(b, k)->name;
        const int32_t i = bwvdb_find(a, name);
        if (i < 0 || i >= bwvdb_count(a))
            difference_add(c, "grid-only-b", json_pack("{s:s}", "grid", name), "grid %s is in the second alone", name);
    }
}

void compare_vdb(const struct file_pair *c)
{
    struct bwvdb_file *a = NULL, *b = NULL;
    struct bwvdb_error why;
    if (bwvdb_open(c->a, &a, &why) || bwvdb_open(c->b, &b, &why)) difference_add(c, "unreadable", NULL, "%s", why.text);
    else both_compare(c, a, b);
    bwvdb_close(a);
    bwvdb_close(b);
}
