// SPDX-License-Identifier: Apache-2.0
/* What is round the smoke of a USD stage, as the movie shows it: keyed camera, lamps, sky, obstacles as meshes that are
 * keyed where they move, and the floor. */
#include "obstacles.h"
#include "usd_world.h"

#include <picture/volume/studio/ground.h>
#include <picture/volume/studio/room.h>
#include <picture/volume/studio/studio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ---- */

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
        fprintf(f, "%s(%.9g, %.9g, %.9g, %d)", r ? ", " : " ", x[0] + 0.0, x[1] + 0.0, x[2] + 0.0, r == 3);
    }
    fputs(" )", f);
}

#define APERTURE 36.0

/// A value a frame where it changes, and the first one for readers without time; three's loader wants it last.
static void samples_put(FILE *f, const struct scene_facts *a, const char *name,
                        void (*put)(FILE *, const struct scene_facts *, const struct bw_camera *))
{
    const struct shot *s = &a->shot;
    if (shot_camera_moves(s)) {
        fprintf(f, "        %s.timeSamples = {\n", name);
        for (int32_t i = 0; i < s->n; i++) {
            fprintf(f, "            %lld: ", (long long)s->frame[i].frame);
            put(f, a, &s->frame[i].camera);
            fputs(",\n", f);
        }
        fputs("        }\n", f);
    }
    fprintf(f, "        %s = ", name);
    put(f, a, &s->frame[0].camera);
    fputc('\n', f);
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

#define ORDER "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"

static const double zero[3];

static void transform_put(FILE *f, const struct scene_facts *a, const double *const row[4])
{
    fputs("        matrix4d xformOp:transform = ", f);
    matrix_put(f, a, row, 1);
    fputs("\n" ORDER, f);
}

/// Far off, W/m²: it shines against its own z. Near, W/sr: USD shares out `intensity` over the ball's surface, which
/// sends a quarter of it in each direction.
static void light_put(FILE *f, const struct scene_facts *a, const struct bw_light *l, int number)
{
    const float *rgb = l->rgb, most = fmaxf(rgb[0], fmaxf(rgb[1], rgb[2]));
    double u[3], w[3];
    if (!(most > 0)) return;
    fprintf(f, "    def %s \"light_%d\"\n    {\n        float inputs:%s = %.6g\n",
            l->near ? "SphereLight" : "DistantLight", number, l->near ? "radius" : "angle",
            l->near ? l->half : 2 * atan(l->half) * 57.29577951308232);
    fprintf(f,
            "        color3f inputs:color = (%.6g, %.6g, %.6g)\n        float inputs:intensity = %.6g\n"
            "        bool inputs:normalize = 1\n",
            (double)(rgb[0] / most), (double)(rgb[1] / most), (double)(rgb[2] / most),
            BW_SUN * (double)most * (l->near ? 4 : 1));
    if (l->near) {
        transform_put(f, a,
                      (const double *const[]){(double[]){1, 0, 0}, (double[]){0, 1, 0}, (double[]){0, 0, 1}, l->at});
    } else {
        bw_light_across(l->to, u, w);
        transform_put(f, a, (const double *const[]){u, w, l->to, zero});
    }
    fputs("    }\n", f);
}

/// Light from all around: the movie's sky as bw_cache_sky writes it, whose up is the picture's y and whose middle its
/// z; of a studio the mean of its light. What the camera sees there may differ: USD has one for both.
static void sky_put(FILE *f, const struct scene_facts *a)
{
    const struct bw_look *l = &a->look.scene.look;
    const struct bw_look_room room = bw_look_room(l);
    char name[4400];
    fputs("    def DomeLight \"sky\"\n    {\n", f);
    if (l->sky) {
        snprintf(name, sizeof name, "%s_sky.exr", a->sequence->name);
        fputs("        asset inputs:texture:file = ", f);
        usd_asset_put(f, ".", name);
        fputs("\n        token inputs:texture:format = \"latlong\"\n", f);
    } else {
        fputs("        color3f inputs:color = (", f);
        for (int c = 0; c < 3; c++) fprintf(f, "%s%.6g", c ? ", " : "", 0.5 * (double)(room.above[c] + room.below[c]));
        fputs(")\n", f);
    }
    fputs("        float inputs:intensity = 1\n", f);
    transform_put(f, a, (const double *const[]){(double[]){0, 1, 0}, (double[]){0, 0, 1}, (double[]){1, 0, 0}, zero});
    fputs("    }\n", f);
}

/* ---- surfaces ---- */

/// A material of the same name as its mesh.
static void material_put(FILE *f, const char *root, const char *name, const struct bw_material_wish *m)
{
    fprintf(f,
            "        def Material \"%s\"\n        {\n            token outputs:surface.connect = "
            "</%s/materials/%s/surface.outputs:surface>\n"
            "            def Shader \"surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n"
            "                color3f inputs:diffuseColor = (%.6g, %.6g, %.6g)\n"
            "                color3f inputs:emissiveColor = (%.6g, %.6g, %.6g)\n"
            "                float inputs:roughness = %.6g\n                float inputs:metallic = %d\n"
            "                token outputs:surface\n            }\n        }\n",
            name, root, name, (double)m->colour[0], (double)m->colour[1], (double)m->colour[2], (double)m->glow[0],
            (double)m->glow[1], (double)m->glow[2], (double)m->roughness, m->kind == BW_MATERIAL_METAL);
}

static void points_put(FILE *f, const double *point, int32_t n)
{
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    fputs("        point3f[] points = [", f);
    for (int32_t i = 0; i < n; i++) {
        const double *p = point + 3 * (size_t)i;
        fprintf(f, "%s(%.7g, %.7g, %.7g)", i ? ", " : "", p[0], p[1], p[2]);
        for (int a = 0; a < 3; a++) lo[a] = fmin(lo[a], p[a]), hi[a] = fmax(hi[a], p[a]);
    }
    fprintf(f, "]\n        float3[] extent = [(%.7g, %.7g, %.7g), (%.7g, %.7g, %.7g)]\n", lo[0], lo[1], lo[2], hi[0],
            hi[1], hi[2]);
}

/// Its transform and the brace follow.
static void mesh_begin(FILE *f, const char *root, const char *name, const struct scene_mesh *m)
{
    fprintf(f,
            "    def Mesh \"%s\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n"
            "        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n"
            "        rel material:binding = </%s/materials/%s>\n        int[] faceVertexCounts = [",
            name, root, name);
    for (int32_t i = 0; i < m->n_triangles; i++) fputs(i ? ", 3" : "3", f);
    fputs("]\n        int[] faceVertexIndices = [", f);
    for (int32_t i = 0; i < 3 * m->n_triangles; i++) fprintf(f, "%s%d", i ? ", " : "", (int)m->corner[i]);
    fputs("]\n", f);
    points_put(f, m->point, m->n_points);
}

static void form_put(FILE *f, const struct scene_facts *a, const struct bw_form *form)
{
    matrix_put(f, a, (const double *const[]){form->axis[0], form->axis[1], form->axis[2], form->center}, 1);
}

/// Where the obstacles of the first frame are at each, [frame][obstacle]; `mesh` is NULL where one is not there, and
/// no pointer to follow where it is. The caller frees it. NULL: out of memory.
static struct bw_form *keyed_make(struct scene_obstacles *o)
{
    const struct shot *shot = &o->facts->shot;
    const int32_t n = o->shapes->n;
    struct bw_form *keyed = calloc((size_t)shot->n * (size_t)n + 1, sizeof *keyed);
    if (!keyed) return NULL;
    for (int32_t k = 0; k < shot->n; k++) {
        scene_obstacles_at(o, shot->frame[k].frame);
        for (int32_t i = 0; o->shapes && i < n && i < o->shapes->n; i++) keyed[k * n + i] = o->shapes->form[i];
    }
    scene_obstacles_at(o, shot->frame[0].frame);
    return keyed;
}

/// Obstacle i where it is at each frame, and at the first. `keyed`: NULL: none moves.
static void places_put(FILE *f, const struct scene_obstacles *o, const struct bw_form *keyed, int32_t i)
{
    const struct shot *shot = &o->facts->shot;
    if (keyed) {
        fputs("        matrix4d xformOp:transform.timeSamples = {\n", f);
        for (int32_t k = 0; k < shot->n; k++) {
            const struct bw_form *form = &keyed[k * o->shapes->n + i];
            if (!form->mesh) continue;
            fprintf(f, "            %lld: ", (long long)shot->frame[k].frame);
            form_put(f, o->facts, form);
            fputs(",\n", f);
        }
        fputs("        }\n", f);
    }
    fputs("        matrix4d xformOp:transform = ", f);
    form_put(f, o->facts, &o->shapes->form[i]);
    fputs("\n" ORDER, f);
}

static enum bw_status obstacles_put(FILE *f, struct scene_obstacles *o, const char *root)
{
    struct bw_form *keyed = o->move && o->shapes ? keyed_make(o) : NULL;
    enum bw_status status = o->move && o->shapes && !keyed ? BW_ERR_MEMORY : BW_OK;
    char name[32];
    for (int32_t i = 0; o->shapes && i < o->shapes->n && !status; i++) {
        struct scene_mesh m;
        snprintf(name, sizeof name, "obstacle_%d", (int)i + 1);
        status = scene_mesh_make(&o->shapes->form[i], &m);
        if (!status) {
            mesh_begin(f, root, name, &m);
            places_put(f, o, keyed, i);
            fputs("    }\n", f);
        }
        scene_mesh_free(&m);
    }
    free(keyed);
    return status;
}

/// As wide as it is to be seen; one grey: its grain is the picture's own.
static void floor_put(FILE *f, const struct scene_facts *a, const char *root)
{
    const struct bw_scene *s = &a->look.scene;
    const double size = fmax(s->hi[0] - s->lo[0], s->hi[1] - s->lo[1]);
    const double wide = fmin(4 * sqrt(bw_studio_horizon(&s->look)), 400) * size;
    const double middle[3] = {0.5 * (s->lo[0] + s->hi[0]), 0.5 * (s->lo[1] + s->hi[1]), s->lo[2]};
    double corner[4][3] = {{-wide, -wide, 0}, {wide, -wide, 0}, {wide, wide, 0}, {-wide, wide, 0}};
    int32_t order[] = {0, 1, 2, 0, 2, 3};
    mesh_begin(f, root, "floor", &(struct scene_mesh){corner[0], order, 4, 2});
    transform_put(f, a, (const double *const[]){(double[]){1, 0, 0}, (double[]){0, 1, 0}, (double[]){0, 0, 1}, middle});
    fputs("    }\n", f);
}

static struct bw_material_wish ground_material(const struct bw_look *l)
{
    struct bw_material_wish m = {.roughness = 1};
    for (int c = 0; c < 3; c++)
        m.colour[c] = l->ground == BW_GROUND_EARTH       ? 0.5f * (bw_ground_soil[0][c] + bw_ground_soil[1][c])
                      : l->ground == BW_GROUND_CYCLORAMA ? BW_CYCLORAMA
                                                         : BW_FLOOR;
    return m;
}

static void materials_put(FILE *f, const struct scene_obstacles *o, const char *root)
{
    const struct bw_scene *s = &o->facts->look.scene;
    const struct bw_material_wish ground = ground_material(&s->look);
    char name[32];
    fputs("    def Scope \"materials\"\n    {\n", f);
    for (int32_t i = 0; o->shapes && i < o->shapes->n; i++) {
        snprintf(name, sizeof name, "obstacle_%d", (int)i + 1);
        material_put(f, root, name, scene_finish(o->facts, &o->shapes->form[i]));
    }
    if (s->floor) material_put(f, root, "floor", &ground);
    fputs("    }\n", f);
}

/// The stage that exporter `bodies` keeps beside the cache, in axes and unit of its own; false: there is none.
static bool bodies_find(const struct scene_facts *a, double *unit, bool *y_up)
{
    char path[4400], line[200];
    const char *first = a->sequence->path[0], *slash = strrchr(first, '/');
    snprintf(path, sizeof path, "%.*s../bodies/%s.usda", slash ? (int)(slash + 1 - first) : 0, first,
             a->sequence->name);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    *unit = 0, *y_up = false;
    while (fgets(line, sizeof line, f) && strncmp(line, ")", 1) != 0) {
        sscanf(line, " metersPerUnit = %lf", unit);
        if (strstr(line, "upAxis = \"Y\"")) *y_up = true;
    }
    fclose(f);
    return *unit > 0;
}

static void bodies_put(FILE *f, const struct scene_facts *a)
{
    double unit;
    bool y_up;
    char name[4400];
    if (!bodies_find(a, &unit, &y_up)) return;
    const double s = unit * a->view->scale / a->view->larger, c = y_up ? 0 : s, t = y_up ? s : 0;
    snprintf(name, sizeof name, "../bodies/%s.usda", a->sequence->name);
    fputs("    def \"bodies\" (\n        prepend references = ", f);
    usd_asset_put(f, a->folder, name);
    fputs("\n    )\n    {\n", f);
    transform_put(f, a, (const double *const[]){(double[]){s, 0, 0}, (double[]){0, c, t}, (double[]){0, -t, c}, zero});
    fputs("    }\n", f);
}

enum bw_status usd_world_put(FILE *f, const struct scene_facts *a, struct cache *c, const char *root)
{
    struct bw_light light[BW_LIGHTS];
    struct scene_obstacles o;
    const int32_t n = bw_scene_lights(&a->look.scene, light);
    camera_put(f, a);
    for (int32_t i = 0; i < n; i++) light_put(f, a, &light[i], (int)i + 1);
    sky_put(f, a);
    scene_obstacles_begin(&o, a, c);
    const enum bw_status status = obstacles_put(f, &o, root);
    bodies_put(f, a);
    if (a->look.scene.floor) floor_put(f, a, root);
    materials_put(f, &o, root);
    scene_obstacles_end(&o);
    return status;
}
