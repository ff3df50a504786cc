// SPDX-License-Identifier: Apache-2.0
/* Is a shape where its stage can use it? Told before the run: what lies outside of the domain all the time, is smaller
 * than a cell, or dwarfs the domain. Of a file's contents the usual mistakes are tried, the other axis up and other
 * units, unless the preset says which they are, and the first one that fits is proposed. An obstacle out there may be
 * scenery, which pictures show: without such a mistake it is told of, and is no warning. */
#include "placed.h"
#include <common/vec3.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TIMES 48    ///< places looked at along a motion
#define FILES 4     ///< of a sequence, besides the first
#define DWARFS 10.0 ///< times the domain
#define FLAT 0.02   ///< thickness over length of a ground or a wall, which may be as large as it likes
#define STANDS 0.02 ///< of its height, that what stands on a floor may be off it
#define TEXT 400

struct judge {
    struct bw_stage *stage;
    const struct shape *shape; ///< NULL: grids of a file that lie where they are
    ptrdiff_t at;              ///< of the shape in the parameter struct
    const char *name;
    struct box3 domain;
    int of_file, y_up, up_said; ///< contents of a file; how its axes were taken, and whether the preset said so
    const char *pattern;        ///< that file, or a sequence of them
    const struct sequence *sequence;
    struct box3 file;  ///< round them as read, z up
    struct pose pose;  ///< where the stage begins
    struct box3 begin; ///< bounds there
    double size[3];    ///< largest extents, m
    int inside;        ///< it touches the domain at some time
};

static int box_empty(const struct box3 *b) { return !(b->lo[0] <= b->hi[0]); }

static int touches(const struct judge *j, const struct box3 *b)
{
    const double wide =
        j->shape && j->shape->kind == SHAPE_POINTS ? fmax(j->shape->points.radius, j->stage->grid->h) : 0;
    int touch = 1;
    for (int a = 0; a < 3; a++) touch &= b->lo[a] - wide < j->domain.hi[a] && b->hi[a] + wide > j->domain.lo[a];
    return touch;
}

static struct box3 domain_box(const struct bw_domain_info *d)
{
    struct box3 b;
    for (int a = 0; a < 3; a++) b.lo[a] = d->origin[a], b.hi[a] = d->origin[a] + d->n[a] * d->h;
    return b;
}

/* Round the places of points, as read. */
static struct box3 points_box(const struct points_file *f)
{
    struct box3 b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t i = 0; i < f->n; i++)
        for (int a = 0; a < 3; a++) b.lo[a] = fmin(b.lo[a], f->pos[i][a]), b.hi[a] = fmax(b.hi[a], f->pos[i][a]);
    return b;
}

/* ---- where it is, over time ---- */

static int pose_when(const struct judge *j, double time, struct pose *pose)
{
    const char *params = j->stage->host->params_at(j->stage, time);
    return params && !shape_pose(j->stage, (const struct shape *)(params + j->at), pose);
}

static struct box3 bounds_of(const struct judge *j, const struct pose *pose, const struct box3 *file)
{
    return j->of_file ? pose_file_bounds(pose, file) : pose_bounds(pose, 0);
}

/* The file of the stage's beginning, as it was read; 0: none counts then. */
static int file_take(struct judge *j)
{
    const struct shape_state *state = j->stage->state;
    const struct mesh_file *mesh = &state->mesh.file[1];
    const struct shape *s = j->shape;
    int blank = 0;
    if (s->kind == SHAPE_MESH) {
        j->pattern = s->mesh.file, j->sequence = &state->mesh.sequence;
        blank = state->mesh.blank, j->file = mesh->box;
        j->y_up = mesh->y_up, j->up_said = s->mesh.up != MESH_UP_AUTO;
    } else if (s->kind == SHAPE_VDB) {
        j->pattern = s->vdb.file, j->sequence = &state->vdb.sequence;
        blank = state->vdb.blank, j->file = state->vdb.box;
        j->y_up = j->up_said = s->vdb.up; // z may be the default
    } else if (s->kind == SHAPE_POINTS) {
        j->pattern = s->points.file, j->sequence = &state->points.sequence;
        blank = state->points.blank, j->file = points_box(&state->points.file[1]);
        j->y_up = j->up_said = s->points.up;
    }
    j->of_file = j->pattern != NULL;
    return !j->of_file || (!blank && !box_empty(&j->file));
}

static void motion_follow(struct judge *j, double from, double to)
{
    for (int i = 0; i < TIMES; i++) {
        struct pose pose;
        if (!pose_when(j, from + (to - from) * i / (TIMES - 1), &pose)) return;
        const struct box3 b = bounds_of(j, &pose, &j->file);
        j->inside |= touches(j, &b);
        for (int a = 0; a < 3; a++) j->size[a] = fmax(j->size[a], b.hi[a] - b.lo[a]);
    }
}

/* Of another file of the sequence; empty where there is none. Errors are said. */
static enum bw_status other_box(const struct judge *j, int64_t number, struct box3 *box)
{
    char path[SEQUENCE_PATH];
    struct mesh_file mesh = {0};
    struct points_file points = {0};
    struct bw_stage *s = j->stage;
    const struct shape *shape = j->shape;
    if (!sequence_path(j->pattern, number, path) || access(path, F_OK)) return BW_OK;
    if (shape->kind == SHAPE_VDB) return volume_file_box(s, &shape->vdb, path, box);
    const enum bw_status status = shape->kind == SHAPE_MESH ? mesh_read(s, path, shape->mesh.up, &mesh)
                                                            : points_read(s, path, shape->points.up, &points);
    if (!status) *box = shape->kind == SHAPE_MESH ? mesh.box : points_box(&points);
    mesh_file_free(s, &mesh);
    points_file_free(s, &points);
    return status;
}

/* Later files of a sequence, whose contents may come in. What can't be read is told when its frame comes. */
static void files_follow(struct judge *j, double from, double to)
{
    for (int i = 1; i <= FILES && j->sequence->numbered && !j->inside; i++) {
        const double time = from + (to - from) * i / FILES;
        const int64_t number =
            sequence_number(j->stage, j->sequence, j->stage->frame + (time - j->stage->time) * j->stage->fps, 1);
        struct box3 file = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
        struct pose pose;
        if (number < 0 || other_box(j, number, &file) || !pose_when(j, time, &pose)) j->inside = 1;
        else if (!box_empty(&file)) {
            const struct box3 b = pose_file_bounds(&pose, &file);
            j->inside |= touches(j, &b);
        }
    }
}

/* ---- what would mend it ---- */

/* The same contents with the file's other axis taken for the one that points up. */
static struct box3 box_turned(const struct box3 *b, int y_up)
{
    struct box3 t = *b;
    if (y_up) { // (x, -z, y) back to (x, y, z)
        t.lo[1] = b->lo[2], t.hi[1] = b->hi[2];
        t.lo[2] = -b->hi[1], t.hi[2] = -b->lo[1];
    } else {
        t.lo[1] = -b->hi[2], t.hi[1] = -b->lo[2];
        t.lo[2] = b->lo[1], t.hi[2] = b->hi[1];
    }
    return t;
}

static double extent(const struct box3 *b, int a) { return b->hi[a] - b->lo[a]; }

static double largest(const struct box3 *b) { return fmax(extent(b, 0), fmax(extent(b, 1), extent(b, 2))); }

static int fits(const struct judge *j, const struct box3 *b, double least)
{
    int good = largest(b) >= least;
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (b->lo[a] + b->hi[a]);
        if (a == j->stage->grid->thin) continue;
        good &= middle > j->domain.lo[a] && middle < j->domain.hi[a] && extent(b, a) <= 1.2 * extent(&j->domain, a);
    }
    return good && b->lo[2] >= j->domain.lo[2] - 0.25 * extent(b, 2);
}

/* What is smaller is seldom what a shot is of. */
static double least_size(const struct judge *j) { return fmax(3 * j->stage->grid->h, 0.06 * largest(&j->domain)); }

static int stands(const struct judge *j, const struct box3 *b)
{
    return fabs(b->lo[2] - j->domain.lo[2]) <= STANDS * extent(b, 2);
}

/* The contents with the other axis up (`turn`) and `times` as large. */
static struct box3 bounds_otherwise(const struct judge *j, int turn, double times)
{
    const struct box3 file = turn ? box_turned(&j->file, j->y_up) : j->file;
    struct pose pose = j->pose;
    pose.scale *= times;
    return pose_file_bounds(&pose, &file);
}

/* What is seldom placed so: farther from the domain than that is large. */
static int lies_far(const struct judge *j)
{
    double gap = 0;
    for (int a = 0; a < 3; a++)
        gap = fmax(gap, fmax(j->begin.lo[a] - j->domain.hi[a], j->domain.lo[a] - j->begin.hi[a]));
    return gap > largest(&j->domain);
}

static const double remedy_times[] = {1, 0.01, 0.001, 100, 1000, 0.0254, 0.3048};

/* Number of the change, twice that of the factor, odd with the other axis up; 0: as it stands, as nothing is better.
 * What then stands on the floor is the best guess. `small`: what is outside may be small in the domain, which turned
 * tells nothing, and scaled little where it neither stands nor was far. */
static int remedy_choose(const struct judge *j, int small)
{
    const double least = small ? 3 * j->stage->grid->h : least_size(j);
    int best = 0, n = j->pose.scale == 1 ? 2 * (int)BW_COUNT(remedy_times) : 2;
    for (int i = 1; i < n && j->of_file; i++) {
        if ((i & 1) && j->up_said) continue;
        const struct box3 b = bounds_otherwise(j, i & 1, remedy_times[i / 2]);
        if (!fits(j, &b, small && i == 1 ? 0 : least)) continue;
        if (stands(j, &b)) return i;
        if (!best && (!small || i == 1 || lies_far(j))) best = i;
    }
    return best;
}

/* What to write, empty where no usual mistake explains it. */
static void remedy_find(const struct judge *j, char out[80])
{
    int best = remedy_choose(j, 0);
    if (!best && !j->inside) best = remedy_choose(j, 1);
    out[0] = 0;
    if (!best) return;
    const char *up = best & 1 ? (j->y_up ? "up: z" : "up: y") : "", *comma = best & 1 && best > 1 ? ", " : "";
    char scale[40] = "";
    if (best > 1) snprintf(scale, sizeof scale, "scale: %g", j->pose.scale * remedy_times[best / 2]);
    snprintf(out, 80, "; did you mean `%s%s%s`?", up, comma, scale);
}

/* ---- sentences ---- */

static const char *name_of(const struct judge *j)
{
    static const char *const plain[] = {"the sphere", "the box", "the cylinder", "the torus"};
    const char *slash = j->pattern ? strrchr(j->pattern, '/') : NULL;
    return slash ? slash + 1 : j->pattern ? j->pattern : plain[j->shape->kind];
}

static void spans_write(const struct judge *j, char out[TEXT])
{
    const struct box3 *b = &j->begin, *d = &j->domain;
    snprintf(
        out, TEXT,
        "it spans [%.3g, %.3g, %.3g] to [%.3g, %.3g, %.3g] m, the domain [%.3g, %.3g, %.3g] to [%.3g, %.3g, %.3g] m",
        b->lo[0] + 0, b->lo[1] + 0, b->lo[2] + 0, b->hi[0] + 0, b->hi[1] + 0, b->hi[2] + 0, d->lo[0], d->lo[1],
        d->lo[2], d->hi[0], d->hi[1], d->hi[2]);
}

static int is_obstacle(const struct judge *j)
{
    const struct bw_stage_desc *desc = j->stage->desc;
    return desc->extension && desc->extension(BW_OBSTACLE);
}

static uint32_t level_of(const struct judge *j, const char *remedy)
{
    return is_obstacle(j) && !*remedy ? BW_LOG_INFO : BW_LOG_WARNING;
}

static int outside_tell(const struct judge *j)
{
    char spans[TEXT], remedy[80];
    if (j->inside) return 0;
    spans_write(j, spans);
    remedy_find(j, remedy);
    const int under = j->begin.hi[2] <= j->domain.lo[2];
    j->stage->host->log(j->stage, under ? BW_LOG_WARNING : level_of(j, remedy), "%s lies wholly %s %s, and %s: %s%s",
                        j->name, under ? "under the floor of" : "outside of", j->stage->grid->name,
                        is_obstacle(j) ? "meets no gas" : "does nothing", spans, remedy);
    return 1;
}

static int small_tell(const struct judge *j)
{
    double size = 0;
    char remedy[80];
    for (int a = 0; a < 3; a++)
        if (a != j->stage->grid->thin) size = fmax(size, j->size[a]);
    const int mesh = j->shape && j->shape->kind == SHAPE_MESH;
    if (size >= j->stage->grid->h || (j->of_file && !mesh && !(size > 0))) return 0; // one point has a radius
    remedy_find(j, remedy);
    j->stage->host->log(j->stage, BW_LOG_WARNING, "%s is smaller than a cell of %s: %.3g m, a cell has %.3g m%s",
                        j->name, j->stage->grid->name, size, j->stage->grid->h, remedy);
    return 1;
}

static int large_tell(const struct judge *j)
{
    const int thin = j->stage->grid->thin;
    double times = 0, least = HUGE_VAL, most = 0;
    char spans[TEXT], remedy[80];
    for (int a = 0; a < 3; a++) {
        if (a == thin) continue;
        times = fmax(times, j->size[a] / extent(&j->domain, a));
        least = fmin(least, j->size[a]), most = fmax(most, j->size[a]);
    }
    if (!(times > DWARFS) || least < FLAT * most) return 0;
    spans_write(j, spans);
    remedy_find(j, remedy);
    j->stage->host->log(j->stage, level_of(j, remedy), "%s is %.0f times as large as %s: %s%s", j->name, times,
                        j->stage->grid->name, spans, remedy);
    return 1;
}

/* Half of it is in the ground, and with the other axis up it would stand there: nobody has said which it is. */
static int sunk_tell(const struct judge *j)
{
    const int open = j->shape && j->shape->kind == SHAPE_MESH && !j->up_said && !j->y_up;
    const double under = j->domain.lo[2] - j->begin.lo[2], height = extent(&j->begin, 2);
    if (!open || j->stage->grid->side[4].kind != BW_CLOSED || !(under > 0.1 * height)) return 0;
    const struct box3 turned = bounds_otherwise(j, 1, 1);
    if (!stands(j, &turned) || !fits(j, &turned, least_size(j))) return 0;
    j->stage->host->log(j->stage, BW_LOG_WARNING,
                        "%s reaches %.3g m under the floor of %s, and with `up: y` it would stand on it; say `up: z` "
                        "if it is meant so",
                        j->name, under, j->stage->grid->name);
    return 1;
}

static int judge_tell(const struct judge *j)
{
    return small_tell(j) || large_tell(j) || outside_tell(j) || sunk_tell(j);
}

int shape_place_tell(struct bw_stage *s, const struct shape *shape)
{
    const struct bw_span_api *span = s->host->extension(BW_SPAN);
    struct judge j = {.stage = s, .shape = shape, .at = (const char *)shape - (const char *)s->params};
    double from = 0, to = 0;
    if (shape->kind < 0 || shape->kind >= SHAPE_EVERYWHERE || s->grid->n[0] <= 0 || !span ||
        !span->times(s, &from, &to))
        return 0;
    j.domain = domain_box(s->grid);
    if (!file_take(&j) || !pose_when(&j, from, &j.pose)) return 0;
    j.name = name_of(&j);
    j.begin = bounds_of(&j, &j.pose, &j.file);
    motion_follow(&j, from, to);
    if (!j.inside && j.of_file) files_follow(&j, from, to);
    return judge_tell(&j);
}

int shape_grids_tell(struct bw_stage *s, const char *name, const struct box3 *box, double scale, int y_up)
{
    struct judge j = {.stage = s, .name = name, .of_file = 1, .y_up = y_up, .up_said = y_up, .file = *box};
    if (s->grid->n[0] <= 0 || box_empty(box)) return 0;
    j.domain = domain_box(s->grid);
    j.pose = (struct pose){.kind = SHAPE_VDB, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = scale};
    j.begin = bounds_of(&j, &j.pose, box);
    j.inside = touches(&j, &j.begin);
    for (int a = 0; a < 3; a++) j.size[a] = extent(&j.begin, a);
    return judge_tell(&j);
}
