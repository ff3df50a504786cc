// SPDX-License-Identifier: Apache-2.0
/* Signed distances of the shapes. All are exact distances (a torus wider than its ring apart), so a band of constant
 * width round a surface is just a comparison. Distances after I. Quilez's 2D reductions: a round shape is the same as
 * its profile in the half plane (distance from the axis, height along it). A mesh looks its distance up (mesh.h). */
#include "shape.h"
#include <common/vec3.h>

#include <math.h>
#include <string.h>

static const struct bw_param sphere_rows[] = {
    BW_VEC3(struct shape_sphere, center, "center", "[0, 0, 0]", "m", "Where the middle is."),
    BW_F64(struct shape_sphere, radius, "radius", "0.1 m", 0, 1e6, "m", "Radius."),
};
static const struct bw_param box_rows[] = {
    BW_VEC3(struct shape_box, center, "center", "[0, 0, 0]", "m", "Where the middle is."),
    BW_VEC3(struct shape_box, size, "size", "[0.2 m, 0.2 m, 0.2 m]", "m", "Edge lengths."),
    BW_VEC3(struct shape_box, rotate, "rotate", "[0, 0, 0]", "rad", "Rotation about x, then y, then z."),
};
static const struct bw_param cylinder_rows[] = {
    BW_VEC3(struct shape_cylinder, center, "center", "[0, 0, 0]", "m", "Where the middle is."),
    BW_F64(struct shape_cylinder, radius, "radius", "0.1 m", 0, 1e6, "m", "Radius."),
    BW_F64(struct shape_cylinder, height, "height", "0.2 m", 0, 1e6, "m", "Length along the axis."),
    BW_F64(struct shape_cylinder, round, "round", "0 m", 0, 1e6, "m", "Radius of its two edges; 0: they are sharp."),
    BW_VEC3(struct shape_cylinder, axis, "axis", "[0, 0, 1]", NULL,
            "Direction of the axis; its length does not matter."),
};
static const struct bw_param torus_rows[] = {
    BW_VEC3(struct shape_torus, center, "center", "[0, 0, 0]", "m", "Where the middle is."),
    BW_F64(struct shape_torus, radius, "radius", "0.2 m", 0, 1e6, "m", "Radius of the ring."),
    BW_F64(struct shape_torus, thickness, "thickness", "0.05 m", 0, 1e6, "m", "Radius of the tube."),
    BW_VEC3(struct shape_torus, axis, "axis", "[0, 0, 1]", NULL,
            "Direction through the hole; its length does not matter."),
};

/* Which file of a numbered sequence. */
#define SEQUENCE_ROWS(S)                                                                                               \
    BW_INT(S, offset, "offset", "0", -1e9, 1e9, "Of a sequence: added to the frame number.", BW_PARAM_STATIC),         \
        BW_F64(S, speed, "speed", "1", -1e3, 1e3, NULL,                                                                \
               "Of a sequence: files a frame, counted from the run's first frame.", BW_PARAM_STATIC),                  \
        BW_CHOICE(S, outside, "outside", "hold", SEQUENCE_OUTSIDE_NAMES,                                               \
                  "Before the first and after the last file of a sequence: that file, round again, or nothing.")
/* Where a file's contents are put. */
#define PLACE_ROWS(S)                                                                                                  \
    BW_VEC3(S, center, "center", "[0, 0, 0]", "m", "Where the file's origin is."),                                     \
        BW_VEC3(S, rotate, "rotate", "[0, 0, 0]", "rad", "Rotation about x, then y, then z."),                         \
        BW_F64(S, scale, "scale", "1", 0, 1e6, NULL,                                                                   \
               "Lengths of the file are multiplied by it (0.01: the file is in centimetres).")
static const struct bw_param mesh_rows[] = {
    BW_PATH(struct shape_mesh, file, "file",
            "A mesh: OBJ, PLY, STL, glTF …; a run of # in its name stands for the frame number.", BW_PARAM_REQUIRED),
    PLACE_ROWS(struct shape_mesh),
    BW_CHOICE(struct shape_mesh, up, "up", "auto", "auto|y|z",
              "Axis that points up in the file; auto: y in glTF and in an OBJ whose writer has it so, as Blender "
              "and Houdini, else z."),
    BW_F64(struct shape_mesh, thickness, "thickness", "0 m", 0, 1e6, "m",
           "How thick the walls are that open parts (a sheet, a bowl) become; 0: two cells."),
    BW_BOOL(struct shape_mesh, hollow, "hollow", "false",
            "Closed parts are walls of that thickness too, with air inside, instead of solid.", BW_PARAM_STATIC),
    BW_INT(struct shape_mesh, detail, "detail", "2", 1, 8,
           "Voxels of the mesh's distance along a cell: 1 is quicker for sequences, 4 keeps edges sharper.",
           BW_PARAM_STATIC),
    SEQUENCE_ROWS(struct shape_mesh),
};
static const struct bw_param volume_rows[] = {
    BW_PATH(struct shape_volume, file, "file", "A .vdb file; a run of # in its name stands for the frame number.",
            BW_PARAM_REQUIRED),
    BW_STRING(struct shape_volume, grid, "grid", "density", "The grid in the file, a scalar."),
    PLACE_ROWS(struct shape_volume),
    BW_CHOICE(struct shape_volume, up, "up", "z", "z|y", "Axis that points up in the file."),
    BW_CHOICE(struct shape_volume, form, "form", "auto", "auto|fog|level-set",
              "What the grid holds: a mask, or a distance that is negative inside; auto: as the file says, else fog."),
    BW_F64(struct shape_volume, gain, "gain", "1", 0, 1e9, NULL,
           "Fog: values are multiplied by it; 1 then covers a cell whole, and so does more.", BW_PARAM_STATIC),
    SEQUENCE_ROWS(struct shape_volume),
};
static const struct bw_param points_rows[] = {
    BW_PATH(struct shape_points, file, "file",
            "Points as .ply or .csv; a run of # in its name stands for the frame number.", BW_PARAM_REQUIRED),
    BW_F64(struct shape_points, radius, "radius", "0 m", 0, 1e6, "m",
           "Radius of every point of a file that has none; 0: one cell."),
    BW_F64(struct shape_points, grow, "grow", "1", 0, 1e6, NULL, "The file's own radii are multiplied by it."),
    PLACE_ROWS(struct shape_points),
    BW_CHOICE(struct shape_points, up, "up", "z", "z|y", "Axis that points up in the file."),
    SEQUENCE_ROWS(struct shape_points),
};

const struct bw_param shape_rows[SHAPE_KINDS + 1] = {
    BW_GROUP(struct shape, sphere, struct shape_sphere, "sphere", sphere_rows, "A ball."),
    BW_GROUP(struct shape, box, struct shape_box, "box", box_rows, "A box, turned as you like."),
    BW_GROUP(struct shape, cylinder, struct shape_cylinder, "cylinder", cylinder_rows, "A cylinder with flat ends."),
    BW_GROUP(struct shape, torus, struct shape_torus, "torus", torus_rows, "A ring."),
    BW_GROUP(struct shape, mesh, struct shape_mesh, "mesh", mesh_rows, "A mesh, or a sequence of them."),
    BW_GROUP(struct shape, vdb, struct shape_volume, "vdb", volume_rows, "A grid of OpenVDB files: mask or level set."),
    BW_GROUP(struct shape, points, struct shape_points, "points", points_rows, "Balls at points that move."),
    {.key = "everywhere",
     .type = BW_PARAM_GROUP,
     .offset = BW_OFFSET(struct shape, everywhere, struct shape_everywhere),
     .doc = "No limits.",
     .sub_size = sizeof(struct shape_everywhere)},
};

/* Columns of Rz·Ry·Rx: the local axes as world vectors. */
static void axes_rotate(const double angle[3], double axis[3][3])
{
    double s[3], c[3];
    for (int i = 0; i < 3; i++) {
        s[i] = sin(angle[i]);
        c[i] = cos(angle[i]);
    }
    const double m[3][3] = {
        {c[2] * c[1], s[2] * c[1], -s[1]},
        {c[2] * s[1] * s[0] - s[2] * c[0], s[2] * s[1] * s[0] + c[2] * c[0], c[1] * s[0]},
        {c[2] * s[1] * c[0] + s[2] * s[0], s[2] * s[1] * c[0] - c[2] * s[0], c[1] * c[0]},
    };
    memcpy(axis, m, sizeof m);
}

/* A length that must not be negative: keyframes and expressions may go there, where the table's range cannot say no. */
static enum bw_status length_check(struct bw_stage *s, const char *name, double value)
{
    if (value >= 0) return BW_OK;
    return s->host->fail(s, BW_ERR_PRESET, "shape: %s is %g m; it must not be negative", name, value);
}

static enum bw_status pose_axis(struct bw_stage *s, const double axis[3], struct pose *p)
{
    double length = vec3_length(axis);
    if (!(length > 0)) return s->host->fail(s, BW_ERR_PRESET, "shape: axis is [0, 0, 0]; it must point somewhere");
    for (int i = 0; i < 3; i++) p->axis[2][i] = axis[i] / length;
    return BW_OK;
}

static enum bw_status pose_sphere(struct bw_stage *s, const struct shape_sphere *a, struct pose *p)
{
    memcpy(p->center, a->center, sizeof p->center);
    p->radius = a->radius;
    return length_check(s, "radius", a->radius);
}

static enum bw_status pose_box(struct bw_stage *s, const struct shape_box *a, struct pose *p)
{
    memcpy(p->center, a->center, sizeof p->center);
    axes_rotate(a->rotate, p->axis);
    enum bw_status status = BW_OK;
    for (int i = 0; i < 3 && !status; i++) {
        p->half[i] = 0.5 * a->size[i];
        status = length_check(s, "size", a->size[i]);
    }
    return status;
}

static enum bw_status pose_cylinder(struct bw_stage *s, const struct shape_cylinder *a, struct pose *p)
{
    memcpy(p->center, a->center, sizeof p->center);
    p->radius = a->radius;
    p->half[2] = 0.5 * a->height;
    enum bw_status status = length_check(s, "radius", a->radius);
    if (!status) status = length_check(s, "height", a->height);
    p->minor = a->round;
    if (!status && !(p->minor >= 0 && p->minor <= fmin(p->radius, p->half[2])))
        return s->host->fail(s, BW_ERR_PRESET, "shape: round is %g m; 0 to radius and half the height, %g m, can be",
                             p->minor, fmin(p->radius, p->half[2]));
    return status ? status : pose_axis(s, a->axis, p);
}

static enum bw_status pose_torus(struct bw_stage *s, const struct shape_torus *a, struct pose *p)
{
    memcpy(p->center, a->center, sizeof p->center);
    p->radius = a->radius;
    p->minor = a->thickness;
    enum bw_status status = length_check(s, "radius", a->radius);
    if (!status) status = length_check(s, "thickness", a->thickness);
    return status ? status : pose_axis(s, a->axis, p);
}

static void pose_file(const double center[3], const double rotate[3], double scale, struct pose *p)
{
    memcpy(p->center, center, sizeof p->center);
    axes_rotate(rotate, p->axis);
    p->scale = scale;
}

static void pose_mesh(const struct bw_stage *s, const struct shape_mesh *a, struct pose *p)
{
    p->mesh = &((const struct shape_state *)s->state)->mesh;
    pose_file(a->center, a->rotate, a->scale, p);
    p->thickness = mesh_thickness(s, a);
}

static void pose_volume(const struct bw_stage *s, const struct shape_volume *a, struct pose *p)
{
    p->vdb = &((const struct shape_state *)s->state)->vdb;
    pose_file(a->center, a->rotate, a->scale, p);
}

static void pose_points(const struct bw_stage *s, const struct shape_points *a, struct pose *p)
{
    p->points = &((const struct shape_state *)s->state)->points;
    pose_file(a->center, a->rotate, a->scale, p);
}

/* Volumes and points are found again by the frame. */
enum bw_status shape_checkpoint(struct bw_stage *s, struct bw_archive *a, const struct shape *shape)
{
    struct shape_state *state = s->state;
    return shape->kind == SHAPE_MESH ? mesh_checkpoint(s, a, &shape->mesh, &state->mesh) : BW_OK;
}

enum bw_status shape_pose(struct bw_stage *s, const struct shape *shape, struct pose *p)
{
    memset(p, 0, sizeof *p);
    p->kind = shape->kind;
    switch (shape->kind) {
    case SHAPE_SPHERE: return pose_sphere(s, &shape->sphere, p);
    case SHAPE_BOX: return pose_box(s, &shape->box, p);
    case SHAPE_CYLINDER: return pose_cylinder(s, &shape->cylinder, p);
    case SHAPE_TORUS: return pose_torus(s, &shape->torus, p);
    case SHAPE_MESH: pose_mesh(s, &shape->mesh, p); return BW_OK;
    case SHAPE_VDB: pose_volume(s, &shape->vdb, p); return BW_OK;
    case SHAPE_POINTS: pose_points(s, &shape->points, p); return BW_OK;
    case SHAPE_EVERYWHERE: return BW_OK;
    default: return s->host->fail(s, BW_ERR_PRESET, "give a shape: sphere, box, cylinder, torus, mesh or vdb");
    }
}

static void place_in_file(const struct pose *p, const double d[3], double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = vec3_dot(d, p->axis[a]) / p->scale;
}

/* Distance to the part of a mesh that is nearer, and which one it is. */
static double mesh_distance(const struct pose *p, const double local[3], int *part)
{
    const struct mesh_source *m = p->mesh;
    double d = HUGE_VAL, sheet = HUGE_VAL;
    if (m->has[MESH_SOLID]) d = p->scale * mesh_volume_distance(&m->volume[MESH_SOLID], local);
    if (m->has[MESH_SHEET]) sheet = p->scale * mesh_volume_distance(&m->volume[MESH_SHEET], local) - 0.5 * p->thickness;
    *part = sheet < d ? MESH_SHEET : MESH_SOLID;
    return fmin(d, sheet);
}

/* A mesh that has vanished, or is outside its sequence, is nowhere. */
static double pose_mesh_distance(const struct pose *p, const double d[3])
{
    double local[3];
    int part;
    if (p->mesh->blank || !(p->scale > 0)) return HUGE_VAL;
    place_in_file(p, d, local);
    return mesh_distance(p, local, &part);
}

static double pose_volume_distance(const struct pose *p, const double d[3])
{
    double local[3];
    if (p->vdb->blank) return HUGE_VAL;
    place_in_file(p, d, local);
    return p->vdb->fog ? volume_distance(p->vdb, local) : p->scale * volume_distance(p->vdb, local);
}

double pose_distance(const struct pose *p, const double x[3])
{
    const double d[3] = {x[0] - p->center[0], x[1] - p->center[1], x[2] - p->center[2]};
    if (pose_is_plain(p)) return pose_distance_plain(p, p->kind, x);
    return p->kind == SHAPE_MESH  ? pose_mesh_distance(p, d)
           : p->kind == SHAPE_VDB ? pose_volume_distance(p, d)
                                  : -HUGE_VAL;
}

double pose_cover(const struct pose *p, const double x[3], double width)
{
    return shape_cover(pose_distance(p, x), p->kind == SHAPE_VDB && p->vdb->fog ? 1 : width);
}

/* Half the extent of the shape along world axis i. */
static double pose_reach(const struct pose *p, int i)
{
    double along = p->axis[2][i], across = sqrt(fmax(0, 1 - along * along));
    switch (p->kind) {
    case SHAPE_SPHERE: return p->radius;
    case SHAPE_BOX:
        return fabs(p->axis[0][i]) * p->half[0] + fabs(p->axis[1][i]) * p->half[1] + fabs(p->axis[2][i]) * p->half[2];
    case SHAPE_CYLINDER: return fabs(along) * p->half[2] + across * p->radius;
    case SHAPE_TORUS: return across * p->radius + p->minor;
    default: return HUGE_VAL;
    }
}

/* Round a turned box of the file, widened; empty where there is nothing. */
static struct box3 file_bounds(const struct pose *p, const struct box3 *box, int blank, double wide)
{
    struct box3 b;
    blank |= box->lo[0] > box->hi[0];
    for (int i = 0; i < 3; i++) {
        double middle = p->center[i], reach = wide;
        for (int a = 0; a < 3 && !blank; a++) {
            middle += 0.5 * p->scale * p->axis[a][i] * (box->lo[a] + box->hi[a]);
            reach += 0.5 * p->scale * fabs(p->axis[a][i]) * (box->hi[a] - box->lo[a]);
        }
        b.lo[i] = blank ? HUGE_VAL : middle - reach;
        b.hi[i] = blank ? -HUGE_VAL : middle + reach;
    }
    return b;
}

struct box3 pose_file_bounds(const struct pose *p, const struct box3 *file) { return file_bounds(p, file, 0, 0); }

struct box3 pose_bounds(const struct pose *p, double margin)
{
    struct box3 b;
    if (p->kind == SHAPE_MESH)
        return file_bounds(p, &p->mesh->box, p->mesh->blank,
                           margin + (p->mesh->has[MESH_SHEET] ? p->thickness / 2 : 0));
    if (p->kind == SHAPE_VDB) return file_bounds(p, &p->vdb->box, p->vdb->blank, margin);
    for (int i = 0; i < 3; i++) {
        double reach = pose_reach(p, i) + margin;
        b.lo[i] = p->center[i] - reach;
        b.hi[i] = p->center[i] + reach;
    }
    return b;
}

int pose_moved(const struct pose *a, const struct pose *b)
{
    if (a->kind == SHAPE_MESH && a->mesh->changing && !a->mesh->blank) return 1;
    return memcmp(a->center, b->center, sizeof *a - offsetof(struct pose, center)) != 0;
}

static double ratio(double a, double b) { return b > 0 ? a / b : 1; }

/* Turn v by the shortest rotation that takes unit vector a to unit vector b (Rodrigues). */
static void vector_turn(const double a[3], const double b[3], double v[3])
{
    double k[3], kv[3];
    vec3_cross(a, b, k);
    vec3_cross(k, v, kv);
    double c = vec3_dot(a, b), s = vec3_dot(k, v) / fmax(1 + c, 1e-12);
    for (int i = 0; i < 3; i++) v[i] = c * v[i] + kv[i] + s * k[i];
}

/* Where the material at offset d from a box's centre was before, seen from the centre it had then. */
static void box_before(const struct pose *before, const struct pose *now, const double d[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int a = 0; a < 3; a++) {
        double local = vec3_dot(d, now->axis[a]) * ratio(before->half[a], now->half[a]);
        for (int i = 0; i < 3; i++) out[i] += local * before->axis[a][i];
    }
}

/* The same for a shape round its axis: a cylinder scales radius and height, a torus ring and tube. */
static void round_before(const struct pose *before, const struct pose *now, const double d[3], double out[3])
{
    double rho, height, rho0, height0;
    offset_profile(now, d, &rho, &height);
    if (now->kind == SHAPE_TORUS) {
        double scale = ratio(before->minor, now->minor);
        rho0 = before->radius + (rho - now->radius) * scale;
        height0 = height * scale;
    } else {
        rho0 = rho * ratio(before->radius, now->radius);
        height0 = height * ratio(before->half[2], now->half[2]);
    }
    double stretch = rho > 0 ? rho0 / rho : 1;
    for (int i = 0; i < 3; i++) out[i] = (d[i] - height * now->axis[2][i]) * stretch + height0 * now->axis[2][i];
    vector_turn(now->axis[2], before->axis[2], out);
}

/* The same for a file's contents that turn and grow as a whole. */
static void file_before(const struct pose *before, const struct pose *now, const double d[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int a = 0; a < 3; a++) {
        double local = vec3_dot(d, now->axis[a]) * ratio(before->scale, now->scale);
        for (int i = 0; i < 3; i++) out[i] += local * before->axis[a][i];
    }
}

/* Add what its change of form makes. */
static void mesh_flow_add(const struct pose *p, const double d[3], double out[3])
{
    double local[3], flow[3];
    int part;
    if (!p->mesh->changing || p->mesh->blank || !(p->scale > 0)) return;
    place_in_file(p, d, local);
    mesh_distance(p, local, &part);
    mesh_volume_flow(&p->mesh->volume[part], local, flow);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) out[i] += p->scale * flow[a] * p->axis[a][i];
}

void pose_velocity(const struct pose *before, const struct pose *now, double seconds, const double x[3], double out[3])
{
    const double d[3] = {x[0] - now->center[0], x[1] - now->center[1], x[2] - now->center[2]};
    double was[3] = {0};
    if (now->kind == SHAPE_SPHERE) {
        double scale = ratio(before->radius, now->radius);
        for (int i = 0; i < 3; i++) was[i] = d[i] * scale;
    } else if (now->kind == SHAPE_BOX) {
        box_before(before, now, d, was);
    } else if (now->kind == SHAPE_MESH || now->kind == SHAPE_VDB) {
        file_before(before, now, d, was);
    } else if (now->kind != SHAPE_EVERYWHERE) {
        round_before(before, now, d, was);
    }
    for (int i = 0; i < 3; i++) out[i] = (now->center[i] + d[i] - before->center[i] - was[i]) / seconds;
    if (now->kind == SHAPE_MESH) mesh_flow_add(now, d, out);
}

double pose_displacement(const struct pose *before, const struct pose *now, double seconds)
{
    const struct box3 box = pose_bounds(now, 0);
    double most = 0;
    for (int corner = 0; corner < 8 && pose_moved(before, now); corner++) {
        double x[3], u[3];
        for (int i = 0; i < 3; i++) x[i] = corner >> i & 1 ? box.hi[i] : box.lo[i];
        pose_velocity(before, now, seconds, x, u);
        most = fmax(most, sqrt(vec3_dot(u, u)) * seconds);
    }
    return most;
}

int box_cells(const struct box3 *box, const struct bw_block *b, struct cells *out)
{
    for (int i = 0; i < 3; i++) {
        double first = (box->lo[i] - b->grid->origin[i]) / b->grid->h - 0.5 - b->lo[i];
        double last = (box->hi[i] - b->grid->origin[i]) / b->grid->h - 0.5 - b->lo[i];
        if (!(last >= 0 && first <= b->n[i] - 1)) return 0;
        out->lo[i] = first <= 0 ? 0 : (int32_t)ceil(first);
        out->hi[i] = last >= b->n[i] - 1 ? b->n[i] : (int32_t)floor(last) + 1;
        if (out->lo[i] >= out->hi[i]) return 0;
    }
    return 1;
}
