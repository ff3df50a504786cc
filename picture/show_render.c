// SPDX-License-Identifier: Apache-2.0
#include "show_render.h"
#include <picture/volume/sky/sky.h>
#include <picture/gather/blend.h>
#include <picture/gather/fields.h>
#include <picture/gather/shapes.h>
#include <picture/gather/sparks.h>
#include <picture/volume/render.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/shape/shapes.h>
#include <picture/volume/solid/distance.h>

#include <common/nest.h>

#include <string.h>

/// What a render shows, and how. Failures are reported.
static enum bw_status scene_make(const struct bw_making *m, struct bw_scene *scene)
{
    struct bw_picture *p = m->kept;
    struct bw_exporter *e = m->e;
    const struct bw_picture_params *params = m->params;
    struct bw_picture_params half = *params; // in both directions
    double lo[3], hi[3];
    char why[1200];
    half.size = params->size < 32 ? 16 : params->size / 2;
    half.width = params->width / 2;
    // In a domain without a box the stage grows with the smoke, and the camera steps back.
    bw_picture_bounds(p, bw_gather_choose(m->frame, NULL), lo, hi);
    const double extinction = p->scene.extinction;
    const struct bw_frame *f = m->frame;
    const double gone = (double)(f->number - f->first) / (double)(f->last - f->first + 1);
    bw_picture_stage(e->bake->quick ? &half : params, gone, p->size, &p->scene);
    if (extinction > 0) p->scene.extinction = extinction; // as thick as at first, whatever the size
    *scene = p->scene;
    scene->ambient = e->bake->ambient > 0 ? e->bake->ambient : 293.15;
    scene->flame_kelvin = m->frame->flame_kelvin;
    scene->extinction *= params->thickness;
    scene->shutter = f->fps > 0 ? params->shutter / f->fps : 0;
    scene->streak = f->fps > 0 ? params->particles.streak / f->fps : 0;
    scene->frame = (double)f->number, scene->tick = f->fps > 0 ? 1 / f->fps : 0;
    const int flames = bw_gather_find(m->frame, "flame") != NULL;
    enum bw_status status = bw_picture_look(params, flames, &scene->look, why, sizeof why);
    struct bw_sky_wish wish;
    if (!status) status = bw_picture_sky(params, &wish, why, sizeof why);
    if (!status) status = bw_sky_follow(&p->tools, &wish, &p->sky, why, sizeof why);
    scene->look.sky = p->sky;
    return status ? e->host->fail(e, status, "%s", why) : BW_OK;
}

static enum bw_status volume_make(const struct bw_making *m, double ambient, struct bw_volume *v, float **memory)
{
    struct bw_exporter *e = m->e;
    const struct bw_tools *tools = &m->kept->tools;
    const struct bw_picture_params *params = m->params;
    const struct bw_domain_info *other = params->blend ? nest_find(e->domains, e->n_domains, params->blend) : NULL;
    if (params->blend && (!other || other->h == e->domains[e->domain]->h))
        return e->host->fail(e, BW_ERR_PRESET, "there is no domain \"%s\" of finer or coarser cells to blend with",
                             params->blend);
    enum bw_status status = other ? bw_gather_blend(tools, m->frame, other, params->edge, v, memory)
                                  : bw_gather_volume(tools, m->frame, v, memory);
    if (!status)
        status =
            bw_gather_shapes(tools, m->frame, bw_gather_find(m->frame, "solid"), &params->obstacles, &m->kept->shapes);
    v->shapes = m->kept->shapes;
    const struct bw_sparks_wish sparks = {(enum bw_show_particles)params->particles.show, ambient,
                                          params->particles.size, params->particles.vary};
    if (!status && sparks.which != BW_SHOW_NONE) status = bw_gather_sparks(tools, m->frame, &sparks, v);
    return status ? e->host->fail(e, status, "out of memory for a render") : BW_OK;
}

/* Once a bake: what is drawn coarser than it was simulated looks like another simulation. */
static void coarse_tell(const struct bw_making *m, const struct bw_volume *v)
{
    struct bw_exporter *e = m->e;
    const struct bw_snapshot_field *f = bw_gather_choose(m->frame, NULL);
    if (!e->host->log || m->kept->told || !(v->box.h > 1.5 * f->info->domain->h)) return;
    m->kept->told = 1;
    e->host->log(e, BW_LOG_WARNING,
                 "renders show cells of %g m, not of %g: what is seen fills more than the %g million that are drawn",
                 v->box.h, f->info->domain->h, BW_GATHER_CELLS / 1e6);
}

/* Once a bake: a number to compare shots by. */
static void exposure_tell(const struct bw_making *m, const struct bw_scene *scene)
{
    const double white = bw_flame_white(scene->flame_kelvin);
    double usual[3], now[3];
    if (!m->e->host->log || m->kept->exposed || !bw_gather_find(m->frame, "flame")) return;
    m->kept->exposed = 1;
    bw_blackbody_xyz(BW_BLACKBODY_WHITE, usual);
    bw_blackbody_xyz(white, now);
    m->e->host->log(m->e, BW_LOG_INFO, "flames are exposed for %.0f K, by %s: %.3g times as bright as for %d K", white,
                    scene->flame_kelvin > 0 ? "their sources" : "default", usual[1] / now[1], BW_BLACKBODY_WHITE);
}

/* Once a bake, too. */
static void dark_tell(const struct bw_making *m, const struct bw_volume *v, const struct bw_look *look)
{
    struct bw_exporter *e = m->e;
    for (int32_t l = 0; l < look->n_lights && v->solid && e->host->log && !m->kept->dark; l++) {
        if (!look->light[l].near || bw_solid_distance(v, look->light[l].at) > -look->light[l].half) continue;
        m->kept->dark = 1;
        e->host->log(e, BW_LOG_WARNING, "lamp %d stands inside an obstacle, which lets none of its light out", l + 1);
    }
}

/* And that a name in `each` is none, at the first picture: obstacles that come later are not there yet. */
static void strange_tell(const struct bw_making *m)
{
    const struct bw_list *each = &m->params->obstacles.each;
    const struct bw_picture_obstacle *one = each->items;
    for (int64_t i = 0; i < each->count && !m->kept->strange && m->e->host->log; i++) {
        int there = 0;
        for (uint32_t k = 0; k < m->frame->n_shapes; k++)
            there |= m->frame->shapes[k].stage && !strcmp(m->frame->shapes[k].stage, one[i].stage);
        if (!there)
            m->e->host->log(m->e, BW_LOG_WARNING,
                            "obstacles: of the stages that are now obstacles none has the id \"%s\"", one[i].stage);
    }
    m->kept->strange = 1;
}

enum bw_status bw_show_scene(const struct bw_making *m, struct bw_volume *v, float **memory, struct bw_scene *scene)
{
    enum bw_status status = scene_make(m, scene);
    v->moves = !status && bw_scene_moves(scene);
    v->roots = !status && bw_scene_roots(scene);
    if (!status) status = volume_make(m, scene->ambient, v, memory);
    if (!status && m->kept->shapes) status = bw_shapes_shutter(&m->kept->tools, scene->shutter, m->kept->shapes);
    if (!status) coarse_tell(m, v), exposure_tell(m, scene), dark_tell(m, v, &scene->look), strange_tell(m);
    return status;
}

/// The render as a picture, or, with `linear`, as light, then with alpha if that is not NULL.
static enum bw_status render_make(const struct bw_making *m, int linear, struct bw_image *img, float **alpha)
{
    struct bw_picture *p = m->kept;
    const struct bw_tools *tools = &p->tools;
    struct bw_volume v = {0};
    struct bw_scene scene;
    float *memory = NULL;
    enum bw_status status = bw_show_scene(m, &v, &memory, &scene);
    scene.spots = &p->spots; // not of a scene that outlives `p`, and is drawn by several at once
    if (!status) {
        const size_t pixels = (size_t)p->size[0] * (size_t)p->size[1];
        if (alpha) *alpha = tools->alloc(tools->ctx, pixels * sizeof(float));
        status = alpha && !*alpha ? BW_ERR_MEMORY : bw_image_init(img, tools, p->size[0], p->size[1]);
        if (!status && linear) status = bw_render_linear(tools, &v, &scene, img, alpha ? *alpha : NULL);
        else if (!status) status = bw_render(tools, &v, &scene, img);
        for (size_t i = 0; linear && !status && i < 3 * pixels; i++) img->px[i] *= (float)scene.exposure;
        if (status)
            m->e->host->fail(m->e, status, "out of memory for a render of %d×%d pixels", p->size[0], p->size[1]);
    }
    tools->release(tools->ctx, memory);
    tools->release(tools->ctx, v.solid);
    tools->release(tools->ctx, v.spark);
    return status;
}

enum bw_status bw_show_render(const struct bw_making *m, struct bw_image *img) { return render_make(m, 0, img, NULL); }

enum bw_status bw_show_light(const struct bw_making *m, struct bw_image *img, float **alpha)
{
    return render_make(m, 1, img, alpha);
}
