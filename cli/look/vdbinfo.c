// SPDX-License-Identifier: Apache-2.0
/* `billow info FILE.vdb`: what a volume file holds, for people or as JSON. */
#include "cli.h"

#include <billow/status.h>
#include <common/openvdb/bwvdb.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const class_name[] = {"", "level set", "fog volume", "staggered"};
static const char *const vector_name[] = {"invariant", "covariant", "covariant normalize", "contravariant relative",
                                          "contravariant absolute"};

static double file_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) ? 0 : (double)st.st_size;
}

/* ---- JSON ---- */

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
                                                : json_string(m[i].string);
        json_object_set_new(o, m[i].key, v ? v : json_null()); // a text that is no UTF-8
    }
    return o;
}

static json_t *json_grid(const struct bwvdb_info *g)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(g->name));
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
    return o;
}

static int print_json(const char *path, const struct bwvdb_file *f)
{
    uint32_t n;
    const struct bwvdb_meta *meta = bwvdb_file_meta(f, &n);
    json_t *o = json_object(), *grids = json_array();
    json_object_set_new(o, "version", json_integer(1));
    json_object_set_new(o, "file", json_string(path));
    json_object_set_new(o, "bytes", json_integer((json_int_t)file_bytes(path)));
    json_object_set_new(o, "metadata", json_meta(meta, n));
    for (int32_t i = 0; i < bwvdb_count(f); i++) json_array_append_new(grids, json_grid(bwvdb_grid_info(f, i)));
    json_object_set_new(o, "grids", grids);
    char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(o);
    if (!text) return fprintf(stderr, "billow: out of memory\n"), cli_exit_code(BW_ERR_MEMORY);
    puts(text);
    free(text);
    return EXIT_CODE_OK;
}

/* ---- text ---- */

static void print_meta(const char *indent, const struct bwvdb_meta *m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) printf("%s%-14s %s\n", indent, m[i].key, m[i].string);
}

static void print_grid(const struct bwvdb_info *g)
{
    char count[24];
    printf("\n%s: %s%s%s%s\n", g->name, g->type, g->half ? ", stored in half floats" : "",
           *class_name[g->grid_class] ? ", " : "", class_name[g->grid_class]);
    printf("  %-14s %s\n", "active voxels", cli_count((double)g->active, count));
    if (g->active) {
        printf("  %-14s [%d, %d, %d] to [%d, %d, %d]\n", "voxels", g->lo[0], g->lo[1], g->lo[2], g->hi[0], g->hi[1],
               g->hi[2]);
        printf("  %-14s (%g, %g, %g) to (%g, %g, %g)\n", "world", g->world_lo[0], g->world_lo[1], g->world_lo[2],
               g->world_hi[0], g->world_hi[1], g->world_hi[2]);
    }
    if (g->voxel[0] == g->voxel[1] && g->voxel[1] == g->voxel[2]) printf("  %-14s %g\n", "voxel size", g->voxel[0]);
    else printf("  %-14s %g × %g × %g\n", "voxel size", g->voxel[0], g->voxel[1], g->voxel[2]);
    if (g->comps == 1) printf("  %-14s %g\n", "background", g->background[0]);
    if (g->comps == 3) {
        printf("  %-14s (%g, %g, %g)\n", "background", g->background[0], g->background[1], g->background[2]);
        printf("  %-14s %s\n", "vectors", vector_name[g->vector_type % 5]);
    }
    print_meta("  ", g->meta, g->n_meta);
}

static int print_text(const char *path, const struct bwvdb_file *f)
{
    char size[24], grids[48];
    uint32_t n;
    const struct bwvdb_meta *meta = bwvdb_file_meta(f, &n);
    printf("%s: %s, %s\n", path, cli_bytes(file_bytes(path), size), cli_plural(bwvdb_count(f), "grid", grids));
    print_meta("  ", meta, n);
    for (int32_t i = 0; i < bwvdb_count(f); i++) print_grid(bwvdb_grid_info(f, i));
    return EXIT_CODE_OK;
}

int vdb_info_print(const char *path, int json)
{
    struct bwvdb_error error;
    struct bwvdb_file *f;
    enum bwvdb_status s = bwvdb_open(path, &f, &error);
    for (int32_t i = 0; !s && i < bwvdb_count(f); i++) // backgrounds; and a truncated file is found out
        if (bwvdb_grid_info(f, i)->comps) s = bwvdb_load(f, i, &error);
    int code = s ? cli_exit_code((enum bw_status)s) : json ? print_json(path, f) : print_text(path, f);
    if (s) fprintf(stderr, "billow: %s\n", error.text);
    bwvdb_close(f);
    return code;
}
