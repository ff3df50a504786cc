// SPDX-License-Identifier: Apache-2.0
/* Which grids of a file a host gets, under which names, in which units. */
#include "convert.h"

#include <common/openvdb/hosts/hosts.h>
#include <math.h>
#include <picture/view/vdb_view.h>
#include <stdio.h>
#include <string.h>

enum { GRIDS_MOST = 64, NAME_MOST = 256 };

/// A grid that is copied.
struct pick {
    int32_t grid;
    char name[NAME_MOST];
};

struct picks {
    struct pick pick[GRIDS_MOST];
    int n;
};

/* What hosts look for, the most wanted first: where channels are few, the rest is left out. */
static const struct {
    const char *name;
    const char *const *known;
    uint32_t comps;
} wanted[] = {{"density", bw_density_names, 1},
              {"temperature", bw_temperature_names, 1},
              {"flame", bw_flame_names, 1},
              {"vel", bw_velocity_names, 3},
              {"dye", bw_dye_names, 3}};

/* ---- names ---- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("._-:", c);
}

/* A second "density", density[1] here, becomes density_1; for hosts that read ASCII alone, other bytes underscores. */
static void name_make(const struct conversion *c, const struct bwvdb_info *g, const char *usual, char out[NAME_MOST])
{
    const bool ascii = vdb_rule_of(c->host, VDB_ASCII) != NULL;
    snprintf(out, NAME_MOST, "%s", usual ? usual : g->name);
    size_t n = strlen(out);
    if (!usual && g->twin && n && out[n - 1] == ']') out[n - 1] = '\0';
    for (char *s = out; *s; s++)
        if (ascii ? !is_plain(*s) : !usual && g->twin && *s == '[') *s = '_';
}

static bool name_taken(const struct picks *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->pick[i].name, name)) return true;
    return false;
}

/* ---- choice ---- */

static bool is_surface(const struct bwvdb_info *g) { return g->grid_class == BWVDB_CLASS_LEVEL_SET; }

/* Why a host does not get a grid; NULL: it does. */
static const char *fault_of(const struct conversion *c, const struct bwvdb_info *g)
{
    const bool few = vdb_rule_of(c->host, VDB_CHANNELS) != NULL;
    if (!g->comps) return "points and other values than numbers stay in the cache";
    if (!g->linear) return "a frustum keeps its form";
    if (g->comps == 3 && vdb_rule_of(c->host, VDB_NUMBERS)) return "it takes no vectors";
    if (is_surface(g) && few) return "channels are for what is rendered";
    if (c->proxy && (is_surface(g) || g->comps == 3)) return "a proxy is for the viewport";
    return NULL;
}

static void pick_add(struct conversion *c, const struct bwvdb_file *f, int32_t grid, const char *usual, struct picks *p)
{
    const struct bwvdb_info *g = bwvdb_grid_info(f, grid);
    const char *fault = fault_of(c, g);
    struct pick *next = &p->pick[p->n];
    for (int i = 0; i < p->n; i++)
        if (p->pick[i].grid == grid) return;
    if (fault || p->n == GRIDS_MOST) {
        conversion_leave(c, g->name, fault ? fault : "more than 64 grids");
        return;
    }
    next->grid = grid;
    name_make(c, g, usual, next->name);
    if (name_taken(p, next->name)) name_make(c, g, NULL, next->name);
    p->n++;
}

/* Grids beyond the file's own count are vectors joined of three of these. */
static void picks_find(struct conversion *c, const struct bwvdb_file *f, struct picks *p)
{
    const struct bwvdb_info *g;
    p->n = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int32_t grid = bwvdb_find_known(f, wanted[i].known, wanted[i].comps);
        if (grid >= 0 && !is_surface(bwvdb_grid_info(f, grid))) pick_add(c, f, grid, wanted[i].name, p);
    }
    for (int32_t i = 0; (g = bwvdb_grid_info(f, i)); i++)
        if (!g->part) pick_add(c, f, i, NULL, p);
}

static void channels_limit(struct conversion *c, const struct bwvdb_file *f, struct picks *p)
{
    double room = vdb_rule_number(c->host, VDB_CHANNELS, HUGE_VAL);
    int kept = 0;
    for (int i = 0; i < p->n; i++) {
        const uint32_t comps = bwvdb_grid_info(f, p->pick[i].grid)->comps;
        if (comps > room) {
            conversion_leave(c, p->pick[i].name, "no channel is left for it");
            continue;
        }
        room -= comps;
        p->pick[kept++] = p->pick[i];
    }
    p->n = kept;
}

/* ---- units ---- */

static bool unit_is(const struct bwvdb_info *g, const char *unit)
{
    const struct bwvdb_meta *m = bwvdb_meta_find(g->meta, g->n_meta, "unit");
    return m && !strcmp(m->string, unit);
}

/* Lengths and speeds go with the world. Others' files do not say their units: their flows and surfaces do, too. */
static double gain_of(const struct conversion *c, const struct bwvdb_info *g, const char *name, double longer)
{
    const double kelvin = bwvdb_grid_number(g, "kelvin", 0);
    if (!strcmp(name, "temperature") && kelvin > 0) return kelvin / vdb_rule_number(c->host, VDB_KELVIN, kelvin);
    if (!strcmp(name, "density")) return c->density_gain;
    const bool moves = !strcmp(name, "vel") || unit_is(g, "m/s") || unit_is(g, "m") || is_surface(g);
    return moves ? longer : 1;
}

/* ---- boxes ---- */

static void box_find(const struct conversion *c, const struct bwvdb_file *f, const struct picks *p, int32_t lo[3],
                     int32_t hi[3])
{
    bool any = false;
    for (int a = 0; a < 3; a++) lo[a] = INT32_MAX, hi[a] = INT32_MIN;
    for (int i = 0; i < p->n; i++) {
        const struct bwvdb_info *g = bwvdb_grid_info(f, p->pick[i].grid);
        for (int a = 0; a < 3 && g->active; a++) {
            if (g->lo[a] < lo[a]) lo[a] = g->lo[a];
            if (g->hi[a] > hi[a]) hi[a] = g->hi[a];
            any = true;
        }
    }
    for (int a = 0; a < 3; a++) {
        if (!any) lo[a] = c->lo[a], hi[a] = c->hi[a];
        if (c->proxy) lo[a] >>= 1, hi[a] >>= 1;
    }
}

/* ---- a file ---- */

static bool grid_convert(struct conversion *c, const struct bwvdb_file *f, struct bwvdb_writer *w,
                         const struct pick *pick, struct bwvdb_change *change)
{
    struct bwvdb_error why;
    struct vdb_facts facts;
    const struct bwvdb_info *g = bwvdb_grid_info(f, pick->grid);
    vdb_facts_read(f, &facts);
    const int y_up = vdb_rule_number(c->host, VDB_UP, facts.y_up ? 'y' : 'z') == 'y';
    const double kelvin = vdb_rule_number(c->host, VDB_KELVIN, bwvdb_grid_number(g, "kelvin", 0));
    const struct bwvdb_meta meta[] = {{.key = "kelvin", .type = BWVDB_DOUBLE, .number = kelvin},
                                      {.key = "temperature",
                                       .string = kelvin == 1      ? "excess"
                                                 : kelvin == 1000 ? "blender"
                                                                  : "normalized"},
                                      {.key = "gain", .type = BWVDB_DOUBLE, .number = c->density_gain}};
    const bool heat = !strcmp(pick->name, "temperature") && bwvdb_grid_number(g, "kelvin", 0) > 0;
    const bool thinned = !strcmp(pick->name, "density") && c->density_gain != 1;
    change->name = pick->name;
    change->scale = vdb_rule_number(c->host, VDB_SCALE, facts.scale) / facts.scale;
    change->turn = y_up - facts.y_up;
    change->gain = gain_of(c, g, pick->name, change->scale);
    change->half = g->half;
    change->coarse = c->proxy;
    change->meta = heat ? meta : meta + 2;
    change->n_meta = heat ? 2 : thinned;
    if (!bwvdb_writer_copy(w, f, pick->grid, change, &why)) return true;
    conversion_fail(c, BW_ERR_IO, "%s", why.text);
    return false;
}

bool grids_convert(struct conversion *c, struct bwvdb_file *f, struct bwvdb_writer *w)
{
    struct picks p;
    struct bwvdb_error why;
    struct bwvdb_change change = {.corners = vdb_rule_of(c->host, VDB_BOUNDS) != NULL};
    picks_find(c, f, &p);
    channels_limit(c, f, &p);
    for (int i = 0; i < p.n; i++) {
        const enum bwvdb_status bad = bwvdb_load(f, p.pick[i].grid, &why);
        if (bad) return conversion_fail(c, (enum bw_status)bad, "%s", why.text), false;
    }
    box_find(c, f, &p, change.lo, change.hi);
    for (int i = 0; i < p.n; i++)
        if (!grid_convert(c, f, w, &p.pick[i], &change)) return false;
    return true;
}
