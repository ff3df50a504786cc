// SPDX-License-Identifier: Apache-2.0
#include "camera_file.h"

#include "base/alloc.h"
#include "base/file.h"
#include "preset/tree/node_private.h"
#include "preset/values/params.h"
#include <string.h>

enum bw_status usd_refuse(const char *path, const char *what, const struct bw_place *place, struct bw_diag *d)
{
    static const char *const endings[] = {".usda", ".usd", ".usdc", ".usdz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (bw_file_has_ending(path, endings[i]))
            return bw_diag_error(d, place, BW_ERR_PRESET,
                                 "%s: USD is not read; share/billow/scenes/from_usd.py writes %s, where USD's library "
                                 "is",
                                 path, what);
    return BW_OK;
}

/* The file's map `camera`; NULL after a sentence. Of what has no such line nothing is quoted: it may be anybody's. */
static struct bw_node *shot_read(const char *path, const struct bw_place *place, struct bw_diag *d)
{
    struct bw_diag unheard = {0};
    char *text = bw_file_text(path, place, d);
    const bool ours = text && (!strncmp(text, "camera:", 7) || strstr(text, "\ncamera:"));
    struct bw_node *root = text ? bw_node_parse(text, path, ours ? d : &unheard) : NULL;
    struct bw_node *camera = root && root->type == BW_NODE_MAP ? bw_node_get(root, "camera") : NULL;
    struct bw_node *shot = camera && camera->type == BW_NODE_MAP ? bw_node_copy(camera) : NULL;
    if (text && unheard.status == BW_ERR_MEMORY) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a camera");
    else if (text && !shot && !d->status)
        bw_diag_error(d, place, BW_ERR_PRESET, "%s holds no camera: a text with a map `camera` is wanted", path);
    bw_diag_free(&unheard);
    bw_node_free(root);
    bw_free(text);
    return shot;
}

/* Entries of `from` in place of the map's own. */
static enum bw_status entries_move(struct bw_node *map, struct bw_node *from)
{
    for (int32_t i = 0; i < from->count; i++) {
        struct bw_node *copy = bw_node_copy(from->child[i]);
        if (!copy || bw_node_put(map, from->child[i]->key, copy)) return BW_ERR_MEMORY;
    }
    return bw_node_put(map, "file", NULL) ? BW_ERR_MEMORY : BW_OK;
}

enum bw_status camera_file_expand(struct bw_node *camera, struct bw_diag *d)
{
    const struct bw_node *file = camera && camera->type == BW_NODE_MAP ? bw_node_get(camera, "file") : NULL;
    if (bw_node_is_null(file)) return BW_OK;
    if (file->type != BW_NODE_SCALAR) return bw_diag_error(d, &file->place, BW_ERR_PRESET, "camera: file is a text");
    char *path = bw_path_absolute(file->text, file->place.file);
    if (!path) return bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a camera");
    struct bw_node *shot =
        usd_refuse(path, "its camera as YAML", &file->place, d) ? NULL : shot_read(path, &file->place, d);
    if (shot && entries_move(camera, shot)) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a camera");
    bw_node_free(shot);
    bw_free(path);
    return d->status;
}
