// SPDX-License-Identifier: Apache-2.0
/* The cache as a USD stage in plain text, for Solaris, Omniverse and Blender's own importer: one Volume with an
 * OpenVDBAsset a grid, whose file names are time samples; of a whole scene what usd_world.c says. World and axes are
 * the files'. */
#include "usd_world.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A name that USD accepts: letters, digits, underscores, not a digit first.
static void identifier_make(const char *name, char *out, size_t size)
{
    size_t n = 0;
    if (isdigit((unsigned char)*name) && n + 1 < size) out[n++] = '_';
    for (; *name && n + 1 < size; name++) out[n++] = isalnum((unsigned char)*name) ? *name : '_';
    if (!n) out[n++] = '_';
    out[n] = '\0';
}

/// The prim of grid i: of two names that come to the same, the later one gets its number.
static void grid_identifier(const struct bwvdb_file *f, int32_t i, char *out, size_t size)
{
    char other[128];
    identifier_make(bwvdb_grid_info(f, i)->name, out, size);
    for (int32_t k = 0; k < i; k++) {
        identifier_make(bwvdb_grid_info(f, k)->name, other, sizeof other);
        if (strcmp(other, out)) continue;
        snprintf(out + strnlen(out, 100), 20, "_grid%d", (int)i);
        return;
    }
}

/// A string between quotes, whatever is in it.
static void string_put(FILE *f, const char *text)
{
    fputc('"', f);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', f);
        if ((unsigned char)*c < ' ' || *c == 0x7f) fprintf(f, "\\x%02x", (unsigned char)*c);
        else fputc(*c, f);
    }
    fputc('"', f);
}

/// Can the file be named between @ or @@@? There is no way to write other names.
static bool asset_named(const char *path)
{
    size_t n = strlen(path);
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) return false;
    json_t *text = json_string(path); // NULL: it is no UTF-8
    json_decref(text);
    return text && n && path[n - 1] != '@' && !strstr(path, "@@@");
}

/// The box of all frames, in the files' axes: y-up (x, y, z) is (x, -z, y) in the view.
static void extent_make(const struct bw_vdb_view *v, double lo[3], double hi[3])
{
    for (int a = 0; a < 3; a++) lo[a] = v->lo[a], hi[a] = v->hi[a];
    if (!v->y_up) return;
    lo[1] = v->lo[2], hi[1] = v->hi[2];
    lo[2] = -v->hi[1], hi[2] = -v->lo[1];
}

static void paths_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_sequence *s = a->sequence;
    fputs("            asset filePath.timeSamples = {\n", f);
    for (int32_t i = 0; i < s->count; i++) {
        const char *slash = strrchr(s->path[i], '/'), *name = slash ? slash + 1 : s->path[i];
        fprintf(f, "                %lld: ", (long long)s->frame[i]);
        usd_asset_put(f, a->folder, name);
        fputs(",\n", f);
    }
    fputs("            }\n", f);
}

/// The grid's type as USD calls it.
static const char *type_of(const struct bwvdb_info *g)
{
    if (!strcmp(g->type, "double")) return "double";
    if (!strcmp(g->type, "vec3d")) return "double3";
    if (!strncmp(g->type, "int", 3)) return "int";
    return g->comps == 3 ? "float3" : "float";
}

static void grid_put(FILE *f, const struct scene_facts *a, const struct bwvdb_info *g, const char *id)
{
    static const char *const classes[] = {"unknown", "levelSet", "fogVolume", "staggered"};
    fprintf(f, "        def OpenVDBAsset \"%s\"\n        {\n            token fieldName = ", id);
    string_put(f, g->name);
    fprintf(f,
            "\n            int fieldIndex = 0\n"
            "            token fieldDataType = \"%s\"\n            token fieldClass = \"%s\"\n",
            type_of(g), classes[g->grid_class <= BWVDB_CLASS_STAGGERED ? g->grid_class : 0]);
    if (g->comps == 3)
        fprintf(f, "            token vectorDataRoleHint = \"%s\"\n",
                g->vector_type == BWVDB_VEC_INVARIANT ? "Color" : "Vector");
    paths_put(f, a);
    fputs("        }\n", f);
}

static void volume_put(FILE *f, const struct scene_facts *a, const char *root)
{
    double lo[3], hi[3];
    char id[128];
    extent_make(a->view, lo, hi);
    fprintf(f, "    def Volume \"volume\"\n    {\n        float3[] extent = [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]\n",
            lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < bwvdb_count(a->file); i++) {
            const struct bwvdb_info *g = bwvdb_grid_info(a->file, i);
            if (!g->comps || g->twin) continue; // readers tell grids by their names
            grid_identifier(a->file, i, id, sizeof id);
            if (pass) grid_put(f, a, g, id);
            else fprintf(f, "        rel field:%s = </%s/volume/%s>\n", id, root, id);
        }
    fputs("    }\n", f);
}

bool scene_usd_names(const struct scene_facts *a, const char **path)
{
    for (int32_t i = 0; i < a->sequence->count; i++) {
        const char *slash = strrchr(a->sequence->path[i], '/');
        *path = a->sequence->path[i];
        if (!asset_named(slash ? slash + 1 : *path)) return false;
    }
    *path = a->folder;
    return !*a->folder || asset_named(a->folder);
}

char *scene_usd_text(const struct scene_facts *a, struct cache *c)
{
    const struct bw_sequence *s = a->sequence;
    char *text = NULL, root[128];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    identifier_make(s->name, root, sizeof root);
    fprintf(f,
            "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    startTimeCode = %lld\n    endTimeCode = %lld\n"
            "    framesPerSecond = %.9g\n    timeCodesPerSecond = %.9g\n    metersPerUnit = %.9g\n"
            "    upAxis = \"%s\"\n)\n\n"
            "def Xform \"%s\" (\n    kind = \"component\"\n)\n{\n",
            root, (long long)s->frame[0], (long long)s->frame[s->count - 1], a->look.fps, a->look.fps,
            a->view->larger / a->view->scale, a->view->y_up ? "Y" : "Z", root);
    volume_put(f, a, root);
    const bool failed = a->whole && usd_world_put(f, a, c, root);
    fputs("}\n", f);
    const int bad = ferror(f) || failed;
    if (!fclose(f) && !bad) return text;
    free(text);
    return NULL;
}
