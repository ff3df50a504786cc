// SPDX-License-Identifier: Apache-2.0
/* The domains of a preset: two of size, cells and voxel give the third; a box one cell thick along an axis is 2D.
 * The box stands centred on the origin in x and y with its floor at z = 0 unless the preset says otherwise. */
#include "preset_private.h"

#include "base/alloc.h"
#include <billow/param.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS_MAX = 1 << 20, SIDES = 6 };

static const char *const domain_keys[] = {"size", "cells", "voxel", "center", "floor", "origin", "sides", "margin"};
static const char *const side_names[SIDES] = {"x-", "x+", "y-", "y+", "z-", "z+"};
static const char *const side_words[SIDES] = {"left", "right", "front", "back", "bottom", "top"};

static enum bw_status positive(const struct bw_node *n, const char *what, double x, struct bw_diag *d)
{
    if (x > 0) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s has to be more than 0, it is %.6g", what, x);
}

static int size_is_none(const struct bw_node *size)
{
    return size && size->type == BW_NODE_SCALAR && !strcmp(size->text, "none");
}

static enum bw_status triple_read(const struct bw_node *n, const char *what, const char *unit, double v[3],
                                  struct bw_diag *d)
{
    enum bw_status status = bw_read_numbers(n, what, unit, 3, v, d);
    for (int a = 0; a < 3 && !status; a++) status = positive(n->child[a], what, v[a], d);
    return status;
}

/* Cells that cover a size; a hair more than a whole number of cells is that whole number. */
static double cells_of(double size, double h) { return ceil(size / h * (1 - 1e-9) - 1e-6); }

static enum bw_status voxel_from(const struct bw_node *size_node, const double size[3], const double cells[3],
                                 double *h, struct bw_diag *d)
{
    *h = size[0] / cells[0];
    for (int a = 1; a < 3; a++) {
        if (fabs(size[a] / cells[a] - *h) <= 1e-6 * *h) continue;
        return bw_diag_error(d, &size_node->place, BW_ERR_PRESET,
                             "size and cells do not give cubes: %.6g m along x, %.6g m along %c; give voxel instead",
                             *h, size[a] / cells[a], 'x' + a);
    }
    return BW_OK;
}

static enum bw_status cells_check(const struct bw_node *n, const double cells[3], int32_t out[3], struct bw_diag *d)
{
    for (int a = 0; a < 3; a++) {
        if (cells[a] != floor(cells[a]) || !(cells[a] <= CELLS_MAX)) {
            return bw_diag_error(d, &n->place, BW_ERR_PRESET,
                                 "%.15g cells along %c: a whole number of at most %d is possible", cells[a], 'x' + a,
                                 CELLS_MAX);
        }
        out[a] = cells[a] < 1 ? 1 : (int32_t)cells[a];
    }
    return BW_OK;
}

static enum bw_status voxel_read(const struct bw_node *n, double *h, struct bw_diag *d)
{
    enum bw_status status = bw_read_number(n, "voxel", "m", h, d);
    return status ? status : positive(n, "voxel", *h, d);
}

static enum bw_status extent_read(struct bw_domain_info *info, const struct bw_node *map, int quick, struct bw_diag *d)
{
    const struct bw_node *size = bw_node_get(map, "size"), *cells = bw_node_get(map, "cells");
    const struct bw_node *voxel = bw_node_get(map, "voxel");
    int none = size_is_none(size);
    int given = !bw_node_is_null(size) + !bw_node_is_null(cells) + !bw_node_is_null(voxel);
    if (given != 2 || (none && bw_node_is_null(voxel))) {
        return bw_diag_error(d, &map->place, BW_ERR_PRESET,
                             none ? "a domain without a size needs a voxel"
                                  : "a domain needs exactly two of size, cells and voxel");
    }
    double s[3] = {0}, n[3] = {0};
    enum bw_status status = BW_OK;
    if (!bw_node_is_null(size) && !none) status = triple_read(size, "size", "m", s, d);
    if (!bw_node_is_null(cells)) status = bw_first(status, triple_read(cells, "cells", NULL, n, d));
    if (!bw_node_is_null(voxel)) status = bw_first(status, voxel_read(voxel, &info->h, d));
    if (status) return status;
    if (bw_node_is_null(voxel)) status = voxel_from(size, s, n, &info->h, d);
    if (quick) info->h *= 2;
    if (none || status) return status;
    for (int a = 0; a < 3; a++) {
        if (bw_node_is_null(cells)) {
            n[a] = cells_of(s[a], info->h);
        } else if (quick) {
            n[a] = ceil(n[a] / 2);
        }
    }
    return cells_check(bw_node_is_null(cells) ? size : cells, n, info->n, d);
}

/* The last axis that is one cell thick: in a preset that is flat in several the choice does not matter. */
static void tile_choose(struct bw_domain_info *info)
{
    info->thin = -1;
    for (int a = 0; a < 3; a++) {
        if (info->n[a] == 1) info->thin = a;
    }
    for (int a = 0; a < 3; a++) info->tile[a] = info->thin < 0 ? 16 : a == info->thin ? 1 : 64;
}

static enum bw_status origin_read(struct bw_domain_info *info, const struct bw_node *map, struct bw_diag *d)
{
    const struct bw_node *origin = bw_node_get(map, "origin"), *center = bw_node_get(map, "center");
    const struct bw_node *floor_node = bw_node_get(map, "floor");
    if (!bw_node_is_null(origin)) {
        if (bw_node_is_null(center) && bw_node_is_null(floor_node)) {
            return bw_read_numbers(origin, "origin", "m", 3, info->origin, d);
        }
        return bw_diag_error(d, &origin->place, BW_ERR_PRESET,
                             "origin replaces center and floor: give one or the others");
    }
    double c[2] = {0, 0};
    enum bw_status status = BW_OK;
    if (!bw_node_is_null(center)) status = bw_read_numbers(center, "center", "m", 2, c, d);
    for (int a = 0; a < 2; a++) info->origin[a] = c[a] - 0.5 * info->n[a] * info->h;
    return bw_first(status, bw_read_number(floor_node, "floor", "m", &info->origin[2], d));
}

static enum bw_status closed_read(struct bw_side *side, const struct bw_node *map, struct bw_diag *d)
{
    static const char *const keys[] = {"slip", "velocity"}, *const slips[] = {"free", "no"};
    side->kind = BW_CLOSED;
    enum bw_status status = bw_read_map(&map, "closed", d);
    if (status || !map) return status;
    int32_t no_slip = 0;
    const struct bw_node *velocity = bw_node_get(map, "velocity");
    status = bw_read_words(map, keys, 2, "closed", d);
    status = bw_first(status, bw_read_choice(bw_node_get(map, "slip"), "slip", slips, 2, &no_slip, d));
    side->no_slip = (uint32_t)no_slip;
    if (bw_node_is_null(velocity)) return status;
    return bw_first(status, bw_read_numbers(velocity, "velocity", "m/s", 3, side->velocity, d));
}

static enum bw_status side_read(struct bw_side *side, const struct bw_node *n, struct bw_diag *d)
{
    static const char *const kinds[] = {"closed", "open", "inflow", "periodic"};
    *side = (struct bw_side){0};
    int32_t kind = BW_OPEN;
    const struct bw_node *inner = NULL;
    enum bw_status status;
    if (n->type == BW_NODE_MAP && n->count == 1) {
        inner = n->child[0];
        struct bw_node word = {.type = BW_NODE_SCALAR, .place = inner->key_place, .text = inner->key};
        status = bw_read_choice(&word, "a side", kinds, 4, &kind, d);
    } else {
        status = bw_read_choice(n, "a side", kinds, 4, &kind, d);
    }
    if (status) return status;
    side->kind = (uint32_t)kind;
    if (kind == BW_CLOSED) return closed_read(side, inner, d);
    if (kind != BW_INFLOW) {
        if (bw_node_is_null(inner)) return BW_OK;
        return bw_diag_error(d, &inner->place, BW_ERR_PRESET, "%s takes nothing more", inner->key);
    }
    if (!inner) return bw_diag_error(d, &n->place, BW_ERR_PRESET, "inflow needs a velocity: {inflow: [vx, vy, vz]}");
    return bw_read_numbers(inner, "inflow", "m/s", 3, side->velocity, d);
}

static int side_index(const char *key)
{
    for (int i = 0; i < SIDES; i++) {
        if (!strcmp(key, side_names[i]) || !strcmp(key, side_words[i])) return i;
    }
    return -1;
}

static enum bw_status sides_given(struct bw_domain_info *info, const struct bw_node *map, struct bw_diag *d)
{
    int seen[SIDES] = {0};
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < map->count && !status; i++) {
        const struct bw_node *n = map->child[i];
        int s = side_index(n->key);
        if (s < 0) continue;
        if (seen[s]++) {
            return bw_diag_error(d, &n->key_place, BW_ERR_PRESET, "side %s (%s) is given twice", side_names[s],
                                 side_words[s]);
        }
        status = side_read(&info->side[s], n, d);
        if (!status && s / 2 == info->thin && info->side[s].kind != BW_CLOSED) {
            return bw_diag_error(d, &n->place, BW_ERR_PRESET,
                                 "the domain is one cell thick along %c: its sides there are closed", 'x' + info->thin);
        }
    }
    return status;
}

static enum bw_status sides_check(const struct bw_domain_info *info, const struct bw_node *map, struct bw_diag *d)
{
    for (int a = 0; a < 3; a++) {
        int low = info->side[2 * a].kind == BW_PERIODIC, high = info->side[2 * a + 1].kind == BW_PERIODIC;
        if (low != high) {
            return bw_diag_error(d, &map->place, BW_ERR_PRESET, "periodic sides come in pairs: %s is, %s is not",
                                 side_names[2 * a + !low], side_names[2 * a + low]);
        }
        if (low && !info->n[0]) {
            return bw_diag_error(d, &map->place, BW_ERR_PRESET, "a domain without a size has no periodic sides");
        }
    }
    return BW_OK;
}

static enum bw_status sides_read(struct bw_domain_info *info, const struct bw_node *map, struct bw_diag *d)
{
    static const char *const words[] = {"left", "right", "front", "back", "bottom", "top", "x-",
                                        "x+",   "y-",    "y+",    "z-",   "z+",     "rest"};
    for (int s = 0; s < SIDES; s++) info->side[s].kind = s == 4 ? BW_CLOSED : BW_OPEN;
    enum bw_status status = bw_read_map(&map, "sides", d);
    if (!status && map) {
        const struct bw_node *rest = bw_node_get(map, "rest");
        struct bw_side side = {0};
        status = bw_read_words(map, words, 13, "sides", d);
        if (!status && !bw_node_is_null(rest)) {
            status = side_read(&side, rest, d);
            for (int s = 0; s < SIDES; s++) info->side[s] = side;
        }
    }
    if (info->thin >= 0) info->side[2 * info->thin] = info->side[2 * info->thin + 1] = (struct bw_side){0};
    if (!status && map) status = sides_given(info, map, d);
    return status || !map ? status : sides_check(info, map, d);
}

static enum bw_status text_put(struct bw_node *n, int32_t value)
{
    char *text = bw_printf("%d", (int)value);
    if (!text) return BW_ERR_MEMORY;
    bw_free(n->text);
    n->text = text;
    return BW_OK;
}

/* A quick bake's preset says what it did, so that resolved.yaml reproduces it. */
static enum bw_status quick_note(struct bw_node *map, const struct bw_domain_info *info)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g m", info->h);
    struct bw_node *voxel = bw_node_new(BW_NODE_SCALAR, text);
    enum bw_status status = voxel ? bw_node_put(map, "voxel", voxel) : BW_ERR_MEMORY;
    struct bw_node *cells = bw_node_get(map, "cells");
    if (bw_node_is_null(cells)) return status;
    for (int32_t a = 0; a < 3 && !status; a++) status = text_put(cells->child[a], info->n[a]);
    return status ? status : bw_node_put(map, "size", NULL);
}

static enum bw_status domain_read(struct bw_preset_domain *domain, struct bw_node *map, const char *name, int quick,
                                  struct bw_diag *d)
{
    struct bw_domain_info *info = &domain->info;
    domain->place = map->place;
    domain->margin = 6;
    domain->name = bw_strdup(name);
    if (!domain->name) return bw_read_memory(d);
    info->size = sizeof *info;
    info->name = domain->name;
    if (map->type != BW_NODE_MAP) {
        return bw_diag_error(d, &map->place, BW_ERR_PRESET, "a domain has to be a map {size: ..., voxel: ...}");
    }
    enum bw_status status = bw_read_words(map, domain_keys, BW_COUNT(domain_keys), "domain", d);
    status = bw_first(status, bw_read_number(bw_node_get(map, "margin"), "margin", NULL, &domain->margin, d));
    if (domain->margin < 0) {
        status = bw_diag_error(d, &bw_node_get(map, "margin")->place, BW_ERR_PRESET, "margin can't be negative");
    }
    status = bw_first(status, extent_read(info, map, quick, d));
    if (status) return status;
    tile_choose(info);
    status = bw_first(origin_read(info, map, d), sides_read(info, bw_node_get(map, "sides"), d));
    if (!status && quick && quick_note(map, info)) status = bw_read_memory(d);
    return status;
}

enum bw_status bw_preset_read_domains(struct bw_preset *p, int quick, struct bw_diag *d)
{
    struct bw_node *one = bw_node_get(p->root, "domain"), *several = bw_node_get(p->root, "domains");
    if (bw_node_is_null(one) == bw_node_is_null(several)) {
        return bw_diag_error(d, one ? &one->place : &p->root->place, BW_ERR_PRESET,
                             one ? "domain and domains can't both be given" : "a preset needs a domain");
    }
    if (!bw_node_is_null(one)) {
        p->n_domains = 1;
        return domain_read(&p->domain[0], one, "main", quick, d);
    }
    if (several->type != BW_NODE_MAP || !several->count || several->count > BW_MAX_DOMAINS) {
        return bw_diag_error(d, &several->place, BW_ERR_PRESET, "domains has to be a map {NAME: {...}} of 1 to %d",
                             BW_MAX_DOMAINS);
    }
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < several->count; i++) {
        struct bw_node *n = several->child[i];
        status = bw_first(status, domain_read(&p->domain[p->n_domains++], n, n->key, quick, d));
    }
    return status;
}
