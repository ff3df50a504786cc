// SPDX-License-Identifier: Apache-2.0
/* A VDB file's metadata and grids, as JSON. */
#include "describe.h"

#include <common/openvdb/bwvdb.h>
#include <sys/stat.h>

static const char *const class_name[] = {"", "level set", "fog volume", "staggered"};
static const char *const vector_name[] = {"invariant", "covariant", "covariant normalize", "contravariant relative",
                                          "contravariant absolute"};

static double file_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) ? 0 : (double)st.st_size;
}

static json_t *json_numbers(const double *v, int n)
{
    json_t *a = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(a, json_real(v[i]));
    return a;
}

static json_t *json_indices(const int32_t v[3]) { return json_pack("[i,i,i]", (int)v[0], (int)v[1], (int)v[2]); }

static json_t *json_meta(const struct bwvdb_meta *m, uint32_t n)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < n; i++) {
        json_t *v = m[i].type == BWVDB_INT64    ? json_integer(m[i].integer)
                    : m[i].type == BWVDB_DOUBLE ? json_real(m[i].number)
                                                : json_bytes(m[i].string);
        json_object_set_new(o, m[i].key, v ? v : json_null()); // a text that is no UTF-8
    }
    return o;
}

/* The same values as texts. */
static json_t *json_texts(const struct bwvdb_meta *m, uint32_t n)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < n; i++) json_object_set_new(o, m[i].key, json_bytes(m[i].string));
    return o;
}

static json_t *json_grid(const struct bwvdb_info *g)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_bytes(g->name));
    json_object_set_new(o, "type", json_string(g->type));
    json_object_set_new(o, "half", json_boolean(g->half));
    json_object_set_new(o, "class", json_string(class_name[g->grid_class]));
    if (g->comps == 3) json_object_set_new(o, "vector_type", json_string(vector_name[g->vector_type % 5]));
    json_object_set_new(o, "active_voxels", json_integer(g->active));
    json_object_set_new(o, "voxel", json_numbers(g->voxel, 3));
    json_object_set_new(o, "matrix", json_numbers(g->matrix, 12));
    if (g->active) {
        json_object_set_new(o, "first", json_indices(g->lo));
        json_object_set_new(o, "last", json_indices(g->hi));
        json_object_set_new(o, "low", json_numbers(g->world_lo, 3));
        json_object_set_new(o, "high", json_numbers(g->world_hi, 3));
    }
    if (g->comps) json_object_set_new(o, "background", json_numbers(g->background, (int)g->comps));
    json_object_set_new(o, "metadata", json_meta(g->meta, g->n_meta));
    json_object_set_new(o, "texts", json_texts(g->meta, g->n_meta));
    return o;
}

static json_t *content_json(const char *path, const struct bwvdb_file *f)
{
    uint32_t n;
    const struct bwvdb_meta *meta = bwvdb_file_meta(f, &n);
    json_t *o = json_object(), *grids = json_array();
    json_object_set_new(o, "version", json_integer(1));
    json_object_set_new(o, "file", json_bytes(path));
    json_object_set_new(o, "bytes", json_integer((json_int_t)file_bytes(path)));
    json_object_set_new(o, "metadata", json_meta(meta, n));
    json_object_set_new(o, "texts", json_texts(meta, n));
    for (int32_t i = 0; i < bwvdb_count(f); i++) json_array_append_new(grids, json_grid(bwvdb_grid_info(f, i)));
    json_object_set_new(o, "grids", grids);
    return o;
}

json_t *file_json(const char *path, struct bw_diag *d)
{
    struct bwvdb_error error;
    struct bwvdb_file *f;
    enum bwvdb_status s = bwvdb_open(path, &f, &error);
    for (int32_t i = 0; !s && i < bwvdb_count(f); i++) // backgrounds; and a truncated file is found out
        if (bwvdb_grid_info(f, i)->comps) s = bwvdb_load(f, i, &error);
    if (s) bw_diag_error(d, BW_NAMED(path), (enum bw_status)s, "%s", error.text);
    json_t *o = s ? NULL : content_json(path, f);
    bwvdb_close(f);
    return o;
}
