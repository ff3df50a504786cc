// SPDX-License-Identifier: Apache-2.0
/* The table itself. A row is a rule that breaks in silence where it is not kept. What is not here the host takes either
 * way, or asks the artist. */
#include "hosts.h"

#include <stddef.h>
#include <string.h>

#define BLENDER_API "Blender 4.1 API, Volume"
#define HOUDINI "Houdini 20.5 help"
#define UNREAL "Unreal Engine 5.4 manual, Heterogeneous Volumes"
#define SVT "Unreal Engine 5.6 manual, Sparse Volume Textures"
#define NANO "github.com/eidosmontreal/unreal-vdb"
#define ARNOLD "Arnold for Houdini 5 guide, Volume"
#define REDSHIFT "Redshift 2025 help, Volume Object"
#define VRAY "V-Ray for Maya help, Volume Grid, Rendering"
#define OCTANE "Octane for Cinema 4D manual, VDB Loader"
#define HALF_A_FRAME ": motion blur by velocities; a shutter is usually open for half a frame"

static const struct vdb_rule rules[] = {
    {"blender", VDB_UP, 'z', "Blender 4.5 manual, Viewport Navigation"},
    {"blender", VDB_SCALE, 1, "Blender 4.5 manual, Scene Units"},
    {"blender", VDB_KELVIN, 1000, "Blender 4.2 manual, Volume Info: 0 to 1 is 0 to 1000 K"},
    {"blender", VDB_RIM, .5, BLENDER_API ", velocity_grid" HALF_A_FRAME},
    {"blender", VDB_FILE, 4e9, "artists' reports on Blender 3 and 4: its viewport freezes above 4 GB"},
    {"houdini", VDB_UP, 'y', HOUDINI ", Basics"},
    {"houdini", VDB_SCALE, 1, HOUDINI ", Basics: metres"},
    {"houdini", VDB_KELVIN, 1000, "Houdini 20.0 help, Pyro Blackbody: normalised, the kelvin of a 1 are set there"},
    {"houdini", VDB_ONE_FLOW, 1, HOUDINI ", VDB Vector Merge"},
    {"houdini", VDB_RIM, .5, HOUDINI ", Karma" HALF_A_FRAME},
    {"unreal", VDB_UP, 'z', UNREAL ": transforms are applied; z is up there"},
    {"unreal", VDB_SCALE, 100, "Unreal Engine 5.4 manual, Units of Measurement: centimetres"},
    {"unreal", VDB_CHANNELS, 8, SVT ": two textures of four channels"},
    {"unreal", VDB_DENSITY, 1, UNREAL ": density is imported as 8-bit unorm, which holds 0 to 1"},
    {"unreal-nano", VDB_UP, 'z', NANO ": z is up in Unreal"},
    {"unreal-nano", VDB_SCALE, 100, "Unreal Engine 5.4 manual, Units of Measurement: centimetres"},
    {"unreal-nano", VDB_NUMBERS, 1, NANO ", README of 0.7: floating grids alone, no vectors"},
    {"unreal-nano", VDB_BOUNDS, 1, NANO "/issues/36: the size of all has to match that of density"},
    {"unreal-nano", VDB_FILLED, 1, NANO "/issues/92: an invalid grid cancels the import"},
    {"arnold", VDB_ONE_FLOW, 1, ARNOLD ": one vector grid renders up to ten times faster than three"},
    {"arnold", VDB_RIM, .5, ARNOLD HALF_A_FRAME},
    {"redshift", VDB_RIM, .5, REDSHIFT HALF_A_FRAME},
    {"vray", VDB_KELVIN, 1000, VRAY ": preset \"Fire/Smoke .vdb from Houdini\", of 0 to 1, or 2"},
    {"vray", VDB_RIM, .5, VRAY HALF_A_FRAME},
    {"octane", VDB_SCALE, 1, "Octane Standalone 2022 manual, VDB Import Preferences: metres"},
    {"octane", VDB_ASCII, 1, OCTANE ": with other than English characters grids are ignored"},
    {"octane", VDB_RIM, .5, OCTANE HALF_A_FRAME},
    {"omniverse", VDB_UNIQUE, 1, "OpenUSD 26.05 guide, OpenVDBAsset: a field is found by its name"},
    {"omniverse", VDB_ONE_FLOW, 1, "OpenUSD 26.05 guide, OpenVDBAsset: a field is one grid"},
};

const struct vdb_rule *vdb_rule_of(const char *host, enum vdb_rule_kind kind)
{
    for (size_t i = 0; host && i < sizeof rules / sizeof *rules; i++)
        if (rules[i].kind == kind && !strcmp(rules[i].host, host)) return &rules[i];
    return NULL;
}

double vdb_rule_number(const char *host, enum vdb_rule_kind kind, double otherwise)
{
    const struct vdb_rule *r = vdb_rule_of(host, kind);
    return r ? r->number : otherwise;
}

/* The table lists hosts one after another, in the order of VDB_HOSTS. */
const char *vdb_host_name(int i)
{
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
        if ((!r || strcmp(rules[r].host, rules[r - 1].host)) && !i--) return rules[r].host;
    return NULL;
}

int vdb_host_known(const char *host)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].host, host)) return 1;
    return 0;
}
