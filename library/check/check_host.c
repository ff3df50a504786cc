// SPDX-License-Identifier: Apache-2.0
/* Check of a file by one host's rules: what breaks there in silence, and the command that mends it. */
#include "check.h"

#include "session/session.h"
#include <common/openvdb/contents/contents.h>
#include <common/openvdb/hosts/hosts.h>
#include <common/openvdb/lattice/lattice.h>
#include <math.h>
#include <picture/view/vdb_view.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct finding_kind kinds[] = {
    [VDB_UP] = {"host-up", true, ""},           [VDB_SCALE] = {"host-scale", true, ""},
    [VDB_KELVIN] = {"host-kelvin", true, ""},   [VDB_CHANNELS] = {"host-channels", true, ""},
    [VDB_NUMBERS] = {"host-numbers", true, ""}, [VDB_ONE_FLOW] = {"host-flow", true, ""},
    [VDB_DENSITY] = {"host-density", true, ""}, [VDB_BOUNDS] = {"host-bounds", true, ""},
    [VDB_FILLED] = {"host-empty", true, ""},    [VDB_ASCII] = {"host-ascii", true, ""},
    [VDB_UNIQUE] = {"host-unique", true, ""},   [VDB_FILE] = {"host-file", false, ""},
    [VDB_RIM] = {"host-rim", false, ""},
};

/// A file that is looked at.
struct look {
    struct sequence_facts *s;
    const char *path, *grid; ///< grid: a name, where each has a finding of its own
    struct bwvdb_file *file;
    struct vdb_facts facts;
};

/* ---- findings ---- */

/* `mend`: what follows "billow convert CACHE --for HOST", or a sentence of its own. */
static void broken(const struct look *l, enum vdb_rule_kind kind, const char *mend, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void broken(const struct look *l, enum vdb_rule_kind kind, const char *mend, const char *format, ...)
{
    char text[1200];
    va_list list;
    const struct vdb_rule *r = vdb_rule_of(l->s->host, kind);
    const size_t before = l->s->findings->n;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *about = bw_printf("%s %s", l->s->stem, l->grid ? l->grid : "");
    finding_add(l->s->findings, &kinds[kind], about, "%s: %s", l->path, text);
    bw_free(about);
    if (l->s->findings->n == before) return;
    const bool command = *mend == '\0' || *mend == ' ';
    finding_advise(l->s->findings, command ? bw_printf("billow convert %s --for %s%s mends it (%s)", l->s->what,
                                                       r->host, mend, r->source)
                                           : bw_printf("%s (%s)", mend, r->source));
}

/* ---- by the file's facts ---- */

/* Others' files seldom say what they are: only what is said can be wrong. */
static void place_check(const struct look *l)
{
    const int up = l->facts.y_up ? 'y' : 'z', wanted = (int)vdb_rule_number(l->s->host, VDB_UP, up);
    const double scale = vdb_rule_number(l->s->host, VDB_SCALE, l->facts.scale);
    if (up != wanted && (l->facts.ours || l->facts.y_up))
        broken(l, VDB_UP, "", "%c points up, there %c does", up, wanted);
    if (l->facts.ours && fabs(scale - l->facts.scale) > 1e-6 * scale)
        broken(l, VDB_SCALE, "", "a metre is %g %s, there it is %g", l->facts.scale,
               l->facts.scale == 1 ? "unit" : "units", scale);
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if (*text & 0x80) return false;
    return true;
}

static void names_check(const struct look *l)
{
    char *whole = realpath(l->path, NULL);
    bool grids = true, unique = true;
    const struct bwvdb_info *g;
    for (int32_t i = 0; i < bwvdb_count(l->file); i++) {
        g = bwvdb_grid_info(l->file, i);
        grids &= is_ascii(g->name);
        unique &= g->twins < 2;
    }
    if (vdb_rule_of(l->s->host, VDB_ASCII) && !is_ascii(whole ? whole : l->path))
        broken(l, VDB_ASCII, " --out FOLDER", "its path is not ASCII, and no grid of it would be read");
    if (vdb_rule_of(l->s->host, VDB_ASCII) && !grids) broken(l, VDB_ASCII, "", "names of its grids are not ASCII");
    if (vdb_rule_of(l->s->host, VDB_UNIQUE) && !unique) broken(l, VDB_UNIQUE, "", "two grids have one name");
    free(whole);
}

static void size_check(const struct look *l)
{
    struct stat st;
    const double most = vdb_rule_number(l->s->host, VDB_FILE, HUGE_VAL);
    if (!stat(l->path, &st) && (double)st.st_size > most)
        broken(l, VDB_FILE, " --proxy", "has %.1f GB, and viewports stop at %.1f: play a proxy there",
               (double)st.st_size * 1e-9, most * 1e-9);
}

/* ---- by its grids ---- */

static bool same_box(const struct bwvdb_info *a, const struct bwvdb_info *b)
{
    return !memcmp(a->lo, b->lo, sizeof a->lo) && !memcmp(a->hi, b->hi, sizeof a->hi);
}

static void grids_check(struct look *l)
{
    const char *host = l->s->host;
    const double channels = vdb_rule_number(host, VDB_CHANNELS, HUGE_VAL);
    const struct bwvdb_info *first = NULL, *g;
    uint32_t comps = 0;
    for (int32_t i = 0; i < bwvdb_count(l->file); i++) {
        g = bwvdb_grid_info(l->file, i);
        comps += g->comps;
        l->grid = g->name;
        if (g->part && vdb_rule_of(host, VDB_ONE_FLOW))
            broken(l, VDB_ONE_FLOW, "", "%s is a third of a vector; there velocities are one grid", g->name);
        if (g->comps == 3 && vdb_rule_of(host, VDB_NUMBERS))
            broken(l, VDB_NUMBERS, "", "%s is a vector, which is not read there", g->name);
        if (!g->comps || (g->comps == 3 && vdb_rule_of(host, VDB_NUMBERS))) continue;
        if (!g->active && vdb_rule_of(host, VDB_FILLED)) broken(l, VDB_FILLED, "", "grid %s is empty", g->name);
        l->grid = NULL;
        if (first && !same_box(first, g) && vdb_rule_of(host, VDB_BOUNDS))
            broken(l, VDB_BOUNDS, "", "grids %s and %s have other bounds", first->name, g->name);
        if (!first) first = g;
    }
    l->grid = NULL;
    if (comps > channels) broken(l, VDB_CHANNELS, "", "has %u channels, there are %g", comps, channels);
}

static void heat_check(const struct look *l)
{
    const int32_t heat = bwvdb_find(l->file, "temperature");
    const double kelvin = heat < 0 ? 0 : bwvdb_grid_number(bwvdb_grid_info(l->file, heat), "kelvin", 0);
    const double wanted = vdb_rule_number(l->s->host, VDB_KELVIN, kelvin);
    if (kelvin > 0 && fabs(kelvin - wanted) > 1e-3 * wanted)
        broken(l, VDB_KELVIN, "", "a temperature of 1 is %g K above the air, there it is %g K", kelvin, wanted);
}

static double largest(const struct look *l, int32_t grid)
{
    struct vdb_contents in = {0};
    if (grid >= 0 && !bwvdb_load(l->file, grid, NULL)) vdb_contents_find(l->file, grid, &in, NULL);
    return in.most;
}

static void density_check(const struct look *l)
{
    const double most = vdb_rule_number(l->s->host, VDB_DENSITY, HUGE_VAL);
    const double found = isfinite(most) ? largest(l, bwvdb_find_known(l->file, bw_density_names, 1)) : 0;
    if (found > most * (1 + 1e-3)) // half floats round
        broken(l, VDB_DENSITY, "", "density reaches %.4g, and is cut off at %g there", found, most);
}

/* Whoever renders a voxel beside the smoke asks there how fast the smoke comes. */
static void rim_check(const struct look *l)
{
    const int32_t smoke = bwvdb_find_known(l->file, bw_density_names, 1),
                  flow = bwvdb_find_known(l->file, bw_velocity_names, 3);
    const double frames = vdb_rule_number(l->s->host, VDB_RIM, 0);
    if (!(frames > 0) || smoke < 0 || flow < 0) return;
    const struct bwvdb_info *d = bwvdb_grid_info(l->file, smoke), *v = bwvdb_grid_info(l->file, flow);
    const double fps = l->facts.fps > 0 ? l->facts.fps : 24, speed = largest(l, flow);
    const double wider = v->voxel[0] / d->voxel[0]; // of velocities on coarser voxels
    const int needed = (int)ceil(speed * frames / (fps * d->voxel[0]));
    double room = 1;
    int rim = 0;
    for (int a = 0; a < 3; a++) {
        const double below = (v->lo[a] + .5) * wider - (d->lo[a] + .5),
                     above = (d->hi[a] + .5) - (v->hi[a] + .5) * wider;
        rim = (int)fmax(rim, fmax(-below, -above) + .5 * (wider - 1) + 1e-6);
        room *= (double)v->hi[a] - v->lo[a] + 1;
    }
    if (!d->active || !v->active || rim >= needed || (double)v->active >= room) return; // a full box has no rim
    char mend[120];
    snprintf(mend, sizeof mend, "bake with `velocity_pad: %d`", needed);
    broken(l, VDB_RIM, mend, "%s is known %d voxels round the smoke, which moves %d in %g of a frame", v->name, rim,
           needed, frames);
}

void host_check(struct sequence_facts *s, const char *path, struct bwvdb_file *f)
{
    struct look l = {.s = s, .path = path, .file = f};
    vdb_facts_read(f, &l.facts);
    place_check(&l);
    names_check(&l);
    size_check(&l);
    grids_check(&l);
    heat_check(&l);
    density_check(&l);
    rim_check(&l);
}
