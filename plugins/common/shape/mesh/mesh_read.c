// SPDX-License-Identifier: Apache-2.0
/* Reading meshes with assimp (OBJ, PLY, STL, glTF and what else it knows): all triangles of all nodes, as the file's
 * scene places them, turned Z-up. Materials, normals, cameras and animation are of no use here. */
#include "mesh.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define NODES_DEEP 256 ///< a scene deeper than that is broken

/* What a walk over the scene's nodes does: count, or copy as well. */
struct walk {
    const struct aiScene *scene;
    struct mesh_file *file;
    int copy, y_up;
    int64_t points, triangles;
};

/* The file's y up: (x, y, z) becomes (x, -z, y). */
static void point_copy(const struct walk *w, struct aiVector3D p, double out[3])
{
    out[0] = (double)p.x;
    out[1] = w->y_up ? -(double)p.z : (double)p.y;
    out[2] = w->y_up ? (double)p.y : (double)p.z;
}

static void mesh_add(struct walk *w, const struct aiMesh *mesh, const struct aiMatrix4x4 *place)
{
    int64_t base = w->points;
    for (unsigned i = 0; i < mesh->mNumVertices && w->copy; i++) {
        struct aiVector3D p = mesh->mVertices[i];
        aiTransformVecByMatrix4(&p, place);
        point_copy(w, p, w->file->point[base + i]);
    }
    w->points += mesh->mNumVertices;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        if (mesh->mFaces[i].mNumIndices != 3) continue; // points and lines
        for (int c = 0; c < 3 && w->copy; c++)
            w->file->triangle[w->triangles][c] = (int32_t)(base + mesh->mFaces[i].mIndices[c]);
        w->triangles++;
    }
}

static void node_add(struct walk *w, const struct aiNode *node, struct aiMatrix4x4 parent, int depth)
{
    if (depth > NODES_DEEP) return;
    aiMultiplyMatrix4(&parent, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++) mesh_add(w, w->scene->mMeshes[node->mMeshes[i]], &parent);
    for (unsigned i = 0; i < node->mNumChildren; i++) node_add(w, node->mChildren[i], parent, depth + 1);
}

static void scene_walk(struct walk *w)
{
    struct aiMatrix4x4 here;
    aiIdentityMatrix4(&here);
    w->points = w->triangles = 0;
    node_add(w, w->scene->mRootNode, here, 0);
}

static int name_ends(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);
    return n >= m && !strcasecmp(name + n - m, tail);
}

static enum bw_status box_find(struct bw_stage *s, struct mesh_file *f)
{
    f->box = (struct box3){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t t = 0; t < f->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++) {
                double x = f->point[f->triangle[t][c]][a];
                if (!isfinite(x))
                    return s->host->fail(s, BW_ERR_IO, "%s: a corner of face %lld is not a number", f->path,
                                         (long long)t + 1);
                f->box.lo[a] = fmin(f->box.lo[a], x);
                f->box.hi[a] = fmax(f->box.hi[a], x);
            }
    return BW_OK;
}

static enum bw_status scene_copy(struct bw_stage *s, const struct aiScene *scene, int y_up, struct mesh_file *f)
{
    struct walk w = {.scene = scene, .file = f, .y_up = y_up};
    scene_walk(&w);
    if (!w.triangles)
        return s->host->fail(s, BW_ERR_IO, "%s holds no triangles (%lld points)", f->path, (long long)w.points);
    if (w.points > INT32_MAX || w.triangles > INT32_MAX)
        return s->host->fail(s, BW_ERR_LIMIT, "%s holds more than 2^31 triangles", f->path);
    f->point = s->host->alloc(s, (size_t)w.points * sizeof *f->point);
    f->triangle = s->host->alloc(s, (size_t)w.triangles * sizeof *f->triangle);
    if (!f->point || !f->triangle) return BW_ERR_MEMORY;
    w.copy = 1;
    scene_walk(&w);
    f->n_points = w.points;
    f->n_triangles = w.triangles;
    return box_find(s, f);
}

/* Why the file cannot be read at all; a reader of meshes says that less clearly. */
static enum bw_status path_check(struct bw_stage *s, const char *path)
{
    struct stat st;
    if (stat(path, &st)) return s->host->fail(s, BW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return s->host->fail(s, BW_ERR_IO, "%s is not a file", path);
    return st.st_size ? BW_OK : s->host->fail(s, BW_ERR_IO, "%s is empty", path);
}

enum bw_status mesh_read(struct bw_stage *s, const char *path, int32_t up, struct mesh_file *f)
{
    snprintf(f->path, sizeof f->path, "%s", path);
    enum bw_status status = path_check(s, path);
    if (status) return status;
    const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate);
    if (!scene || !scene->mRootNode) {
        const char *why = aiGetErrorString();
        if (why && !strncasecmp(why, "no suitable reader", 18)) why = "of no format known here (OBJ, PLY, STL, glTF …)";
        status = s->host->fail(s, BW_ERR_IO, "%s cannot be read as a mesh: %.*s", path,
                               why ? (int)strcspn(why, "\n") : 0, why ? why : "");
    } else {
        int y_up = up == MESH_UP_Y || (up == MESH_UP_AUTO && (name_ends(path, ".gltf") || name_ends(path, ".glb")));
        status = scene_copy(s, scene, y_up, f);
    }
    aiReleaseImport(scene);
    if (status) mesh_file_free(s, f);
    return status;
}

void mesh_file_free(struct bw_stage *s, struct mesh_file *f)
{
    s->host->release(s, f->point);
    s->host->release(s, f->triangle);
    *f = (struct mesh_file){0};
}
