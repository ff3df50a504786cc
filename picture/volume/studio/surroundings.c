// SPDX-License-Identifier: Apache-2.0
#include "surroundings.h"
#include "ground.h"
#include <picture/volume/scene/scene.h>
#include <picture/volume/sky/backdrop.h>
#include <picture/volume/sky/sphere.h>

#include <math.h>
#include <string.h>

static struct bw_stones_field stones_field(const struct bw_scene *scene)
{
    struct bw_stones_field f = {.wide = 0};
    for (int a = 0; a < 2; a++) {
        f.middle[a] = 0.5 * (scene->lo[a] + scene->hi[a]);
        f.wide = fmax(f.wide, scene->hi[a] - scene->lo[a]);
    }
    return f;
}

void bw_surroundings_plan(const struct bw_tools *tools, const struct bw_scene *scene, struct bw_surroundings_plan *p)
{
    static const double night[3] = {0};
    const struct bw_look *look = &scene->look;
    const struct bw_sky *sky = look->sky;
    memset(p, 0, sizeof *p);
    p->stones = stones_field(scene);
    if (scene->floor) bw_ground_plan((enum bw_ground)look->ground, &look->scorch, tools->simd, &p->ground);
    bw_sky_clouds_plan(sky, &p->clouds);
    if (look->backdrop != BW_BACKDROP_STUDIO && !look->has_background)
        bw_backdrop_plan((enum bw_backdrop)look->backdrop, sky && sky->n_lights ? sky->light->to : night, &p->hills);
}

static void texture_keep(const struct bw_tools *tools, const struct bw_texture_plan *plan, struct bw_texture **t)
{
    if (plan->make) {
        bw_texture_keep(tools, plan, t);
    } else {
        bw_texture_free(tools, *t);
        *t = NULL;
    }
}

/// Has it what a plan wants?
static int texture_serves(const struct bw_texture *t, const struct bw_texture_plan *plan)
{
    return !plan->make || bw_texture_serves(t, plan);
}

static int has_stones(const struct bw_surroundings_plan *p)
{
    return p->ground.make && p->ground.kind == BW_GROUND_EARTH;
}

int bw_surroundings_serve(const struct bw_surroundings *s, const struct bw_surroundings_plan *p)
{
    return (!has_stones(p) || (s->stones && bw_stone_lots_are(s->stones, &p->stones))) &&
           texture_serves(s->ground, &p->ground) && texture_serves(s->clouds, &p->clouds) &&
           texture_serves(s->hills, &p->hills);
}

void bw_surroundings_keep(const struct bw_tools *tools, const struct bw_surroundings_plan *p, struct bw_surroundings *s)
{
    if (has_stones(p)) bw_stone_lots_keep(tools, &p->stones, &s->stones);
    texture_keep(tools, &p->ground, &s->ground);
    texture_keep(tools, &p->clouds, &s->clouds);
    texture_keep(tools, &p->hills, &s->hills);
}

struct bw_surroundings bw_surroundings_hold(const struct bw_surroundings *s)
{
    if (s->stones) bw_stone_lots_hold(s->stones);
    bw_texture_hold(s->ground), bw_texture_hold(s->clouds), bw_texture_hold(s->hills);
    return *s;
}

void bw_surroundings_free(const struct bw_tools *tools, struct bw_surroundings *s)
{
    bw_stone_lots_free(tools, s->stones);
    bw_texture_free(tools, s->ground), bw_texture_free(tools, s->clouds), bw_texture_free(tools, s->hills);
    *s = (struct bw_surroundings){NULL};
}
