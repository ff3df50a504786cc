// SPDX-License-Identifier: Apache-2.0
/* The cache as a USD stage in plain text, for Solaris, Omniverse and Blender's own importer: one Volume with an
 * OpenVDBAsset a grid, whose file names are time samples; of a whole scene the movie's camera, and lamps far off. World
 * and axes are the files'. */
#include "scene.h"

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

static void vector_turn(int y_up, const double in[3], double sign, double out[3])
{
    out[0] = sign * in[0];
    out[1] = sign * (y_up ? in[2] : in[1]);
    out[2] = sign * (y_up ? -in[1] : in[2]);
}

/// Rows are where the axes go, and the place, in the view's axes: USD multiplies row vectors.
static void matrix_put(FILE *f, const struct scene_facts *a, const double *const row[4], double back)
{
    fputs("(", f);
    for (int r = 0; r < 4; r++) {
        double x[3];
        vector_turn(a->view->y_up, row[r], r == 2 ? back : 1, x);
        fprintf(f, "%s(%.9g, %.9g, %.9g, %d)", r ? ", " : " ", x[0], x[1], x[2], r == 3);
    }
    fputs(" )", f);
}

#define APERTURE 36.0

/// A value a frame; of one that never changes the first alone.
static void samples_put(FILE *f, const struct scene_facts *a, const char *name,
                        void (*put)(FILE *, const struct scene_facts *, const struct bw_camera *))
{
    const struct shot *s = &a->shot;
    const bool moves = shot_camera_moves(s);
    fprintf(f, "        %s%s = ", name, moves ? ".timeSamples" : "");
    if (moves) fputs("{\n", f);
    for (int32_t i = 0; i < (moves ? s->n : 1); i++) {
        if (moves) fprintf(f, "            %lld: ", (long long)s->frame[i].frame);
        put(f, a, &s->frame[i].camera);
        fputs(moves ? ",\n" : "\n", f);
    }
    if (moves) fputs("        }\n", f);
}

static void focal_put(FILE *f, const struct scene_facts *a, const struct bw_camera *c)
{
    (void)a;
    fprintf(f, "%.6g", 0.5 * APERTURE / c->tan_x);
}

static void eye_put(FILE *f, const struct scene_facts *a, const struct bw_camera *c)
{
    matrix_put(f, a, (const double *const[]){c->right, c->up, c->forward, c->eye}, -1);
}

static void camera_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_camera *c = &a->look.scene.camera;
    fprintf(f,
            "    def Camera \"camera\"\n    {\n        float horizontalAperture = %g\n"
            "        float verticalAperture = %.6g\n",
            APERTURE, APERTURE * c->tan_y / c->tan_x);
    samples_put(f, a, "float focalLength", focal_put);
    samples_put(f, a, "matrix4d xformOp:transform", eye_put);
    fputs("        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n", f);
}

/// Lamps far off, W/m²; they shine against their own z.
static void lights_put(FILE *f, const struct scene_facts *a)
{
    static const double zero[3];
    struct bw_light light[BW_LIGHTS];
    const int32_t n = bw_scene_lights(&a->look.scene, light);
    for (int32_t i = 0; i < n; i++) {
        const float *rgb = light[i].rgb, most = fmaxf(rgb[0], fmaxf(rgb[1], rgb[2]));
        double u[3], w[3];
        if (light[i].near || !(most > 0)) continue;
        bw_light_across(light[i].to, u, w);
        fprintf(f,
                "    def DistantLight \"light_%d\"\n    {\n        float inputs:angle = %.6g\n"
                "        color3f inputs:color = (%.6g, %.6g, %.6g)\n        float inputs:intensity = %.6g\n"
                "        bool inputs:normalize = 1\n        matrix4d xformOp:transform = ",
                (int)i + 1, 2 * atan(light[i].half) * 57.29577951308232, (double)(rgb[0] / most),
                (double)(rgb[1] / most), (double)(rgb[2] / most), BW_SUN * (double)most);
        matrix_put(f, a, (const double *const[]){u, w, light[i].to, zero}, 1);
        fputs("\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n", f);
    }
}

static void paths_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_sequence *s = a->sequence;
    fputs("            asset filePath.timeSamples = {\n", f);
    for (int32_t i = 0; i < s->count; i++) {
        const char *slash = strrchr(s->path[i], '/'), *name = slash ? slash + 1 : s->path[i];
        const char *at = strchr(name, '@') || strchr(a->folder, '@') ? "@@@" : "@";
        fprintf(f, "                %lld: %s%s%s/%s%s,\n", (long long)s->frame[i], at, *a->folder == '/' ? "" : "./",
                a->folder, name, at);
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

char *scene_usd_text(const struct scene_facts *a)
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
    if (a->whole) {
        camera_put(f, a);
        lights_put(f, a);
    }
    fputs("}\n", f);
    const int bad = ferror(f);
    if (!fclose(f) && !bad) return text;
    free(text);
    return NULL;
}
