// SPDX-License-Identifier: Apache-2.0
/* From a preset's name to its file: a path, the current folder, the search path, the installed ones. */
#include "preset_private.h"

#include "base/alloc.h"
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 512 };

static int file_exists(const char *path)
{
    struct stat s;
    return !stat(path, &s) && !S_ISDIR(s.st_mode);
}

char *bw_file_in(const char *folder, int length, const char *name, int *memory)
{
    for (int suffix = 0; suffix < 2; suffix++) {
        const char *end = suffix ? ".yaml" : "";
        char *path = length ? bw_printf("%.*s/%s%s", length, folder, name, end) : bw_printf("%s%s", name, end);
        if (!path) *memory = 1;
        if (!path || file_exists(path)) return path;
        bw_free(path);
    }
    return NULL;
}

/* The names of the presets in a folder, for "did you mean". */
struct names {
    char *name[NAMES_MAX];
    uint32_t count;
};

static void names_add_folder(struct names *names, const char *folder, int length)
{
    char *path = bw_printf("%.*s", length, folder);
    DIR *dir = path ? opendir(path) : NULL;
    bw_free(path);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir)) && names->count < NAMES_MAX;) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
        char *name = bw_printf("%.*s", (int)(n - 5), e->d_name);
        if (name) names->name[names->count++] = name;
    }
    closedir(dir);
}

static void names_add_list(struct names *names, const char *folders)
{
    for (const char *s = folders; s && *s;) {
        size_t length = strcspn(s, ":");
        if (length) names_add_folder(names, s, (int)length);
        s += length + (s[length] == ':');
    }
}

static void not_found(const char *name, const char *search, const char *installed, struct bw_diag *d)
{
    struct names names = {.count = 0};
    names_add_list(&names, ".");
    names_add_list(&names, search);
    names_add_list(&names, installed);
    const char *near = bw_did_you_mean(name, (const char *const *)names.name, names.count);
    bw_diag_error(d, NULL, BW_ERR_PRESET,
                  near ? "there is no preset \"%s\"; did you mean \"%s\"?"
                       : "there is no preset \"%s\": neither a file, nor in this folder, nor installed",
                  name, near);
    for (uint32_t i = 0; i < names.count; i++) bw_free(names.name[i]);
}

char *bw_preset_in_folders(const char *name, const char *search, const char *installed, int *memory)
{
    const char *lists[] = {search, installed};
    char *path = NULL;
    for (int l = 0; l < 2; l++) {
        for (const char *s = lists[l]; s && *s && !path && !*memory;) {
            size_t length = strcspn(s, ":");
            if (length) path = bw_file_in(s, (int)length, name, memory);
            s += length + (s[length] == ':');
        }
    }
    return path;
}

char *bw_preset_find(const char *name, const char *search, const char *installed, struct bw_diag *d)
{
    int memory = 0;
    char *path = *name ? bw_file_in("", 0, name, &memory) : NULL;
    const size_t length = strlen(name);
    const bool is_file = length > 5 && !strcmp(name + length - 5, ".yaml"); // the user's, not one that comes along
    if (*name && !path && !memory) path = bw_preset_in_folders(name, search, is_file ? NULL : installed, &memory);
    if (memory) bw_error_memory(d);
    if (path || memory) return path;
    not_found(name, search, installed, d);
    return NULL;
}

/* ---- a project that moved ---- */

/* The path below `to`, if it is one below `from` and something lies there; of numbered files their folder does. */
static char *path_moved(const char *path, const char *from, const char *to)
{
    size_t n = strlen(from);
    if (strncmp(path, from, n) != 0 || path[n] != '/') return NULL;
    char *moved = bw_printf("%s%s", to, path + n), *slash = moved ? strrchr(moved, '/') : NULL;
    bool there = moved && access(moved, F_OK) == 0;
    if (moved && !there && strchr(slash, '#')) {
        *slash = '\0';
        there = access(moved, F_OK) == 0;
        *slash = '/';
    }
    if (there) return moved;
    bw_free(moved);
    return NULL;
}

void bw_preset_relocate_paths(struct bw_node *n, const char *from, const char *to)
{
    char *moved = n->type == BW_NODE_SCALAR && n->text ? path_moved(n->text, from, to) : NULL;
    if (moved) bw_free(n->text), n->text = moved;
    for (int32_t i = 0; n->type != BW_NODE_SCALAR && i < n->count; i++) bw_preset_relocate_paths(n->child[i], from, to);
}
