// SPDX-License-Identifier: Apache-2.0
/* The domains of a preset: two of size, cells and voxel give the third; a box one cell thick along an axis is 2D.
 * The box stands centred on the origin in x and y with its floor at z = 0 unless the preset says otherwise. */
#include "preset_private.h"

#include "base/alloc.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS_MAX = 1 << 20, SIDES = BW_SIDES };

static const char *const side_names[SIDES] = {"x-", "x+", "y-", "y+", "z-", "z+"};
static const char *const side_words[SIDES] = {"left", "right", "front", "back", "bottom", "top"};

static int given(const struct bw_node *map, const char *key) { return !bw_node_is_null(bw_node_get(map, key)); }

/* Cells that cover a size, whole ones of the flow; a hair more than a whole number of cells is that whole number. */
static double cells_of(double size, double h, double flow)
{
    const double one = ceil(size / h * (1 - 1e-9) - 1e-6);
    return one > 1 ? flow * ceil(one / flow) : one;
}

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

static enum bw_status extent_take(struct bw_domain_info *info, const struct bw_domain_values *v,
                                  const struct bw_node *map, double coarse, struct bw_diag *d)
{
    const struct bw_node *size = bw_node_get(map, "size"), *cells = bw_node_get(map, "cells");
    int none = given(map, "size") && !(v->size[0] > 0), by_cells = given(map, "cells");
    if (given(map, "size") + by_cells + given(map, "voxel") != 2 || (none && by_cells))
        return bw_diag_error(d, &map->place, BW_ERR_PRESET,
                             none ? "a domain without a size needs a voxel, and no cells"
                                  : "a domain needs exactly two of size, cells and voxel");
    double n[3] = {v->cells[0], v->cells[1], v->cells[2]};
    enum bw_status status = given(map, "voxel") ? BW_OK : voxel_from(size, v->size, n, &info->h, d);
    if (given(map, "voxel")) info->h = v->voxel;
    info->h *= coarse;
    if (none || status) return status;
    if (!by_cells && !(v->voxel <= fmax(fmax(v->size[0], v->size[1]), v->size[2]) * (1 + 1e-9)))
        return bw_diag_error(d, &bw_node_get(map, "voxel")->place, BW_ERR_PRESET,
                             "a voxel of %.6g m is wider than the whole box", v->voxel);
    for (int a = 0; a < 3; a++) {
        if (!by_cells) n[a] = cells_of(v->size[a], info->h, (double)v->flow);
        else if (coarse != 1) n[a] = cells_of(n[a], coarse, (double)v->flow);
    }
    return cells_check(by_cells ? cells : size, n, info->n, d);
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

/* Places are doubles: farther off than this a cell's are not told apart, and no VDB file's transform can be read. */
static enum bw_status origin_check(const struct bw_domain_info *info, const struct bw_node *map, struct bw_diag *d)
{
    const double most = 0x1p44 * info->h;
    for (int a = 0; a < 3; a++)
        if (!(fabs(info->origin[a]) <= most))
            return bw_diag_error(d, &map->place, BW_ERR_PRESET,
                                 "the box lies %.3g m off along %c: with cells of %g m, %.2g m is the most",
                                 info->origin[a], 'x' + a, info->h, most);
    return BW_OK;
}

static enum bw_status origin_take(struct bw_domain_info *info, const struct bw_domain_values *v,
                                  const struct bw_node *map, struct bw_diag *d)
{
    const double *center = v->center.items;
    for (int a = 0; a < 2; a++) info->origin[a] = center[a] - 0.5 * info->n[a] * info->h;
    info->origin[2] = v->floor;
    if (given(map, "origin")) memcpy(info->origin, v->origin, sizeof info->origin);
    if (!given(map, "origin") || (!given(map, "center") && !given(map, "floor"))) return origin_check(info, map, d);
    return bw_diag_error(d, &bw_node_get(map, "origin")->place, BW_ERR_PRESET,
                         "origin replaces center and floor: give one or the others");
}

static void side_take(struct bw_side *side, const struct bw_side_values *v)
{
    *side = (struct bw_side){.kind = (uint32_t)v->kind};
    if (v->kind == BW_CLOSED) side->no_slip = (uint32_t)v->closed.no_slip;
    if (v->kind == BW_CLOSED) memcpy(side->velocity, v->closed.velocity, sizeof side->velocity);
    if (v->kind == BW_INFLOW) memcpy(side->velocity, v->inflow, sizeof side->velocity);
}

/* Side s by either of its words. */
static enum bw_status side_given(struct bw_domain_info *info, int s, const struct bw_sides_values *v,
                                 const struct bw_node *map, struct bw_diag *d)
{
    int word = v->word[s].kind >= 0, axis = v->axis[s].kind >= 0;
    if (!word && !axis) return BW_OK;
    const struct bw_node *n = bw_node_get(map, word ? side_words[s] : side_names[s]);
    if (word && axis)
        return bw_diag_error(d, &n->key_place, BW_ERR_PRESET, "side %s (%s) is given twice", side_names[s],
                             side_words[s]);
    side_take(&info->side[s], word ? &v->word[s] : &v->axis[s]);
    if (s / 2 != info->thin || info->side[s].kind == BW_CLOSED) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET,
                         "the domain is one cell thick along %c: its sides there are closed", 'x' + info->thin);
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

static enum bw_status sides_take(struct bw_domain_info *info, const struct bw_sides_values *v,
                                 const struct bw_node *map, struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    for (int s = 0; s < SIDES && !status; s++) {
        info->side[s].kind = s == 4 ? BW_CLOSED : BW_OPEN;
        if (v->rest.kind >= 0) side_take(&info->side[s], &v->rest);
        if (s / 2 == info->thin) info->side[s] = (struct bw_side){0};
        status = side_given(info, s, v, map, d);
    }
    return status || bw_node_is_null(map) ? status : sides_check(info, map, d);
}

static enum bw_status text_put(struct bw_node *n, int32_t value)
{
    char *text = bw_printf("%d", (int)value);
    if (!text) return BW_ERR_MEMORY;
    bw_free(n->text);
    n->text = text;
    return BW_OK;
}

/* Cells of still air by which motion is within a hundredth of what it is in the whole box: potentials fall off slowly
 * where air has few ways round. */
static double margin_choose(const struct bw_domain_info *info)
{
    int shut = 0;
    for (int a = 0; a < 3; a++) {
        const uint32_t low = info->side[2 * a].kind, high = info->side[2 * a + 1].kind;
        shut += (low == BW_CLOSED || low == BW_PERIODIC) && (high == BW_CLOSED || high == BW_PERIODIC);
    }
    return info->thin >= 0 ? 24 : shut >= 2 ? 16 : 6;
}

/* A coarser bake's preset says what it did, so that resolved.yaml reproduces it. */
static enum bw_status coarse_note(struct bw_node *map, const struct bw_domain_info *info)
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

static enum bw_status domain_take(struct bw_preset_domain *domain, const struct bw_domain_values *v,
                                  struct bw_node *map, double coarse, struct bw_diag *d)
{
    struct bw_domain_info *info = &domain->info;
    if (v->name && bw_name_check(map->key, &map->key_place, "domains", d)) return d->status;
    *domain = (struct bw_preset_domain){.name = v->name ? map->key : "main", .place = map->place};
    info->size = sizeof *info;
    info->name = domain->name;
    enum bw_status status = extent_take(info, v, map, coarse, d);
    if (status) return status;
    tile_choose(info);
    status = bw_first_error(origin_take(info, v, map, d), sides_take(info, &v->sides, bw_node_get(map, "sides"), d));
    domain->margin = given(map, "margin") ? v->margin : margin_choose(info);
    domain->flow = (int32_t)v->flow;
    if (!status && coarse != 1 && coarse_note(map, info)) status = bw_error_memory(d);
    return status;
}

/* The same box in wider cells. Unless one is given, what is carried needs no margin: still air is the flow's. */
static enum bw_status flow_take(struct bw_preset_domain *domain, const struct bw_node *map, struct bw_diag *d)
{
    struct bw_preset_domain *flow = domain + 1;
    struct bw_domain_info *info = &flow->info;
    *flow = *domain;
    flow->name = info->name = "flow";
    flow->flow = 1;
    info->h *= domain->flow;
    for (int a = 0; a < 3; a++) {
        if (info->n[a] <= 1) continue;
        if (info->n[a] % domain->flow)
            return bw_diag_error(d, &bw_node_get(map, "flow")->place, BW_ERR_PRESET,
                                 "%d cells along %c are no whole number of the flow's, which are %d cells wide",
                                 info->n[a], 'x' + a, domain->flow);
        info->n[a] /= domain->flow;
        if (info->n[a] == 1)
            return bw_diag_error(d, &bw_node_get(map, "flow")->place, BW_ERR_PRESET,
                                 "flow: %d leaves one cell along %c: the box is too thin for it", domain->flow,
                                 'x' + a);
    }
    if (given(map, "margin")) flow->margin = ceil(domain->margin / domain->flow);
    else domain->margin = 0;
    return BW_OK;
}

enum bw_status bw_preset_read_domains(struct bw_preset *p, const struct bw_preset_values *v, double coarse,
                                      struct bw_diag *d)
{
    struct bw_node *one = bw_node_get(p->root, "domain"), *several = bw_node_get(p->root, "domains");
    if (bw_node_is_null(one) == bw_node_is_null(several)) {
        return bw_diag_error(d, one ? &one->place : &p->root->place, BW_ERR_PRESET,
                             one ? "domain and domains can't both be given" : "a preset needs a domain");
    }
    if (!bw_node_is_null(one)) {
        p->n_domains = 1;
        enum bw_status status = domain_take(&p->domain[0], &v->domain, one, coarse, d);
        if (status || p->domain[0].flow == 1) return status;
        p->n_domains = 2;
        return flow_take(&p->domain[0], one, d);
    }
    const struct bw_domain_values *values = v->domains.items;
    enum bw_status status = BW_OK;
    p->n_domains = (int32_t)v->domains.count;
    for (int32_t i = 0; i < p->n_domains; i++)
        status = bw_first_error(status, domain_take(&p->domain[i], &values[i], several->child[i], coarse, d));
    for (int32_t i = 0; i < p->n_domains && !status; i++)
        if (p->domain[i].flow > 1)
            status = bw_diag_error(d, &bw_node_get(several->child[i], "flow")->place, BW_ERR_PRESET,
                                   "flow is for a preset of one domain: give %s a wider voxel, and what is finer a "
                                   "domain of its own",
                                   p->domain[i].name);
    return status;
}
