// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include "job/job.h"
#include "options.h"
#include "picture_tools.h"
#include "snapshot.h"
#include <math.h>
#include <picture/volume/splat/spread.h>
#include <picture/volume/shape/shapes.h>
#include <string.h>

static void view_destroy(struct object *o)
{
    struct view *v = (struct view *)o;
    v->tools.release(v->tools.ctx, v->memory);
    v->tools.release(v->tools.ctx, v->solid);
    v->tools.release(v->tools.ctx, v->spark);
    v->tools.release(v->tools.ctx, v->sky);
    bw_shapes_free(&v->tools, v->shapes);
    bw_surroundings_free(&v->tools, &v->around);
    v->tools.release(v->tools.ctx, v->coarse_memory);
    v->tools.release(v->tools.ctx, v->spread);
    pthread_mutex_destroy(&v->lock);
    bw_free(v);
}

static void view_make(struct snapshot *m, const struct view_look *look, struct bw_view **out, struct bw_diag *d)
{
    struct view *v = bw_calloc(sizeof *v);
    if (!v) {
        out_of_memory(d);
        return;
    }
    object_init(&v->o, view_destroy);
    pthread_mutex_init(&v->lock, NULL);
    v->tools = picture_tools();
    v->scene.exposure = 1;
    v->metre = 1;
    if (m->ops->view(m, look, v, d) == BW_OK && !(*out = handle_new(HANDLE_VIEW, &v->o))) out_of_memory(d);
    if (!*out) object_unref(&v->o);
}

struct view *view_acquire(struct bw_view *handle, struct bw_diag *d) { return handle_acquire(handle, HANDLE_VIEW, d); }

enum bw_status bw_view_open(struct bw_snapshot *snapshot, struct bw_view **view)
{
    return bw_view_open_as(snapshot, NULL, NULL, 0, view);
}

enum bw_status bw_view_open_as(struct bw_snapshot *snapshot, struct bw_bake *look, const char *const *set,
                               int32_t n_set, struct bw_view **view)
{
    struct api_call api;
    api_enter(&api);
    if (view) *view = NULL;
    struct snapshot *m = handle_acquire(snapshot, HANDLE_SNAPSHOT, &api.d);
    struct job *j = m && look ? job_acquire(look, &api.d) : NULL;
    if (m && !view) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_view_open wants a place for the view");
    else if (m && (n_set < 0 || (n_set && !set)))
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_view_open_as: n_set is not the number of values in set");
    else if (m && (j || !look)) view_make(m, &(struct view_look){j ? j->preset : NULL, set, n_set}, view, &api.d);
    if (j) object_unref(&j->o);
    if (m) object_unref(&m->o);
    return api_leave(&api);
}

void bw_view_close(struct bw_view *view)
{
    struct api_call api;
    api_enter(&api);
    if (view) object_unref(handle_close(view, HANDLE_VIEW, NULL));
    api_leave_silent(&api);
}

/* ---- facts ---- */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The renderer's camera as position, target, up and angle. The target is the point of its axis nearest to the stage's
/// middle.
static struct bw_eye eye_of_camera(const struct bw_scene *s)
{
    const struct bw_camera *c = &s->camera;
    struct bw_eye e = {.angle = 2 * atan(c->tan_y)};
    double to[3];
    for (int a = 0; a < 3; a++) to[a] = 0.5 * (s->lo[a] + s->hi[a]) - c->eye[a];
    const double distance = fmax(dot(to, c->forward), 1e-9);
    for (int a = 0; a < 3; a++) {
        e.at[a] = c->eye[a];
        e.target[a] = c->eye[a] + distance * c->forward[a];
        e.up[a] = c->up[a];
    }
    return e;
}

static void bounds_join(const struct bw_dense *b, struct bw_view_facts *f)
{
    if (!bw_dense_cells(b)) return;
    const int first = f->seen_lo[0] >= f->seen_hi[0];
    for (int a = 0; a < 3; a++) {
        const double lo = b->origin[a], hi = lo + b->n[a] * b->h;
        f->seen_lo[a] = first ? lo : fmin(f->seen_lo[a], lo);
        f->seen_hi[a] = first ? hi : fmax(f->seen_hi[a], hi);
    }
}

static struct bw_view_facts view_facts(const struct view *v)
{
    const struct bw_volume *u = &v->volume;
    const size_t cells = bw_dense_cells(&u->box),
                 each = !!u->density + !!u->flame + !!u->temperature + !!u->fuel + 3 * !!u->dye[0];
    struct bw_view_facts f = {.renders = v->renders,
                              .width = v->size[0],
                              .height = v->size[1],
                              .voxel = u->box.h,
                              .metre = v->metre,
                              .y_up = v->y_up};
    memcpy(f.lo, v->scene.lo, sizeof f.lo);
    memcpy(f.hi, v->scene.hi, sizeof f.hi);
    bounds_join(&u->box, &f);
    bounds_join(&u->solid_box, &f);
    if (v->renders) f.eye = eye_of_camera(&v->scene);
    f.bytes = (int64_t)((each * cells + bw_dense_cells(&u->solid_box)) * sizeof(float) * 9 / 8);
    return f;
}

enum bw_status bw_view_facts(struct bw_view *view, struct bw_view_facts *facts)
{
    struct api_call api;
    struct bw_view_facts asked;
    api_enter(&api);
    struct view *v = view_acquire(view, &api.d);
    if (v && !facts) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_view_facts wants a place for the facts");
    else if (v && host_struct_copy(&asked, facts, sizeof asked, "bw_view_facts", &api.d)) {
        const uint32_t size = asked.size;
        asked = view_facts(v);
        asked.size = size;
        memcpy(facts, &asked, size < sizeof asked ? size : sizeof asked);
    }
    if (v) object_unref(&v->o);
    return api_leave(&api);
}

/* ---- pictures ---- */

static int normalize(double x[3])
{
    const double length = sqrt(dot(x, x));
    for (int a = 0; a < 3; a++) x[a] /= length;
    return isfinite(length) && length > 1e-12;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/// 0: nothing can be seen from there.
static int camera_of_eye(const struct bw_eye *e, double aspect, struct bw_camera *c)
{
    for (int a = 0; a < 3; a++) {
        c->eye[a] = e->at[a];
        c->forward[a] = e->target[a] - e->at[a];
        if (!(fabs(e->at[a]) < 1e9)) return 0;
    }
    if (!(e->angle >= 1e-4 && e->angle <= 3) || !normalize(c->forward)) return 0;
    cross(c->forward, e->up, c->right);
    if (!normalize(c->right)) return 0;
    cross(c->right, c->forward, c->up);
    c->tan_y = tan(0.5 * e->angle);
    c->tan_x = c->tan_y * aspect;
    c->aperture = 0; // interactive: sharp everywhere, and fast
    return 1;
}

/// Particle footprints do not depend on the camera and take longer than a picture: computed once.
static enum bw_status spread_make(struct view *v, int neighbours)
{
    enum bw_status status = BW_OK;
    pthread_mutex_lock(&v->lock);
    if (!v->spread && v->volume.n_sparks) {
        v->spread = v->tools.alloc(v->tools.ctx, (size_t)v->volume.n_sparks * sizeof *v->spread);
        status = v->spread ? bw_spread_make(&v->tools, v->volume.spark, v->volume.n_sparks, neighbours, v->spread)
                           : BW_ERR_MEMORY;
        if (!status) v->volume.spread = v->spread;
    }
    pthread_mutex_unlock(&v->lock);
    return status;
}

/// The volume to render; the coarse one is made on first use.
static const struct bw_volume *volume_choose(struct view *v, int32_t coarse)
{
    enum bw_status status = BW_OK;
    if (!coarse || !bw_dense_cells(&v->volume.box)) return &v->volume;
    pthread_mutex_lock(&v->lock);
    if (!v->coarse_memory) status = view_coarsen(&v->tools, &v->volume, &v->coarse, &v->coarse_memory);
    pthread_mutex_unlock(&v->lock);
    return status ? NULL : &v->coarse;
}

static enum bw_status picture_render(struct view *v, const struct bw_scene *scene, const int32_t size[2],
                                     int32_t coarse, struct bw_pixels *out, struct bw_diag *d)
{
    const struct bw_volume *volume = volume_choose(v, coarse);
    struct bw_image img = {.tools = &v->tools};
    enum bw_status status = volume ? bw_image_init(&img, &v->tools, size[0], size[1]) : BW_ERR_MEMORY;
    if (!status && scene->look.particles.show == BW_SHOW_LIGHT && scene->look.particles.smooth > 1)
        status = spread_make(v, scene->look.particles.smooth);
    if (!status) status = bw_render(&v->tools, volume, scene, &img);
    if (!status) status = pixels_of_image(&img, out, d);
    if (status && !d->status)
        bw_diag_error(d, NULL, status, "out of memory for a render of %dx%d pixels", size[0], size[1]);
    bw_image_free(&img);
    return d->status;
}

int view_camera(const struct view *v, const struct bw_eye *eye, const int32_t size[2], struct bw_camera *c)
{
    const double aspect = (double)size[0] / size[1];
    *c = v->scene.camera;
    if (eye) return camera_of_eye(eye, aspect, c);
    if (size[0] != v->size[0] || size[1] != v->size[1]) c->tan_x = c->tan_y * aspect;
    return 1;
}

/// Interactive: plain points, no detail between cells, and one pixel in four is marched where there are many.
static void look_simplify(struct bw_look *look, const int32_t size[2])
{
    enum { MANY = 160 * 90 };
    look->particles.smooth = 0;
    look->particles.veil = look->particles.lit = 0;
    look->detail = 0;
    if (size[0] * size[1] > MANY) look->quality = BW_QUALITY_DRAFT;
}

static void picture_make(struct view *v, const struct bw_eye *eye, const int32_t size[2], int32_t coarse,
                         struct bw_pixels *out, struct bw_diag *d)
{
    enum { LEAST = 8, MOST = 8192 };
    struct bw_scene scene = v->scene;
    if (size[0] < LEAST || size[0] > MOST || size[1] < LEAST || size[1] > MOST)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "a picture of %dx%d pixels can't be", size[0], size[1]);
    else if (!v->renders)
        bw_diag_error(d, NULL, BW_ERR_USAGE, "the frame has nothing that a render shows; slices show it");
    else if (!view_camera(v, eye, size, &scene.camera))
        bw_diag_error(d, NULL, BW_ERR_USAGE, "nothing can be seen from that eye");
    else {
        if (!scene.has_lamps) scene.lamps = v->scene.camera;
        scene.has_lamps = 1;
        if (coarse) look_simplify(&scene.look, size);
        picture_render(v, &scene, size, coarse, out, d);
    }
}

enum bw_status bw_view_picture(struct bw_view *view, const struct bw_eye *eye, int32_t width, int32_t height,
                               int32_t coarse, struct bw_pixels *pixels)
{
    struct api_call api;
    api_enter(&api);
    if (pixels) *pixels = (struct bw_pixels){0};
    struct view *v = view_acquire(view, &api.d);
    if (v && !pixels) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_view_picture wants a place for the pixels");
    else if (v) picture_make(v, eye, (int32_t[2]){width, height}, coarse, pixels, &api.d);
    if (v) object_unref(&v->o);
    return api_leave(&api);
}
