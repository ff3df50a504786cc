// SPDX-License-Identifier: Apache-2.0
/* Conflicts in the output folder. Unrecorded files: a bake would overwrite them, or mix its frames into their sequence,
 * and no record lists them; they may be the user's own. Blocked paths: a folder has the output's name, or a link or
 * file that of its folder. */
#include "record.h"

#include "base/alloc.h"
#include "run/run.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
    const struct bake_facts *facts;
    const struct bake_record *record;
    json_t *found; ///< names
};

static void unrecorded_check(struct search *s, const char *name)
{
    struct stat st;
    char *path = bw_printf("%s/%s", s->facts->out, name);
    bool known = json_object_get(s->record->files, name) || json_object_get(s->found, name);
    if (!known && path && !lstat(path, &st) && !S_ISDIR(st.st_mode)) json_object_set_new(s->found, name, json_true());
    bw_free(path);
}

/* The last number in a name; false: it is not the first or last frame's. */
static bool frame_number_find(const struct bake_facts *f, const char *base, size_t *begin, size_t *end)
{
    for (*end = strlen(base); *end && !isdigit((unsigned char)base[*end - 1]);) --*end;
    for (*begin = *end; *begin && isdigit((unsigned char)base[*begin - 1]);) --*begin;
    long long number = *begin < *end ? atoll(base + *begin) : -1;
    return number == f->first || number == f->last;
}

/* The other frames of a sequence: the same name but for its number. */
static void unrecorded_sequence_check(struct search *s, const char *name)
{
    const char *base = file_base(name);
    size_t begin, end, folder = (size_t)(base - name);
    if (!frame_number_find(s->facts, base, &begin, &end)) return;
    char *path = bw_printf("%s/%.*s", s->facts->out, (int)folder, name);
    DIR *dir = path ? opendir(path) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, base, begin)) continue;
        size_t digits = strspn(e->d_name + begin, "0123456789");
        char *other = digits && !strcmp(e->d_name + begin + digits, base + end)
                          ? bw_printf("%.*s%s", (int)folder, name, e->d_name)
                          : NULL;
        if (other) unrecorded_check(s, other);
        bw_free(other);
    }
    if (dir) closedir(dir);
    bw_free(path);
}

/* bake.log and bake.json don't count. */
static void unrecorded_name_check(const char *name, void *user)
{
    if (!strncmp(name, "bake.", 5)) return;
    unrecorded_check(user, name);
    unrecorded_sequence_check(user, name);
}

int32_t unrecorded_files_find(const struct bake_record *r, const struct bake_facts *f, struct bw_chain *c, char **first)
{
    struct search s = {f, r, json_object()};
    bw_chain_outputs(c, unrecorded_name_check, &s);
    const char *name = json_object_iter_key(json_object_iter(s.found));
    int32_t n = (int32_t)json_object_size(s.found);
    *first = name ? bw_strdup(name) : NULL;
    json_decref(s.found);
    return n;
}

struct blocked_path {
    int root;
    char *name;
    bool folder; ///< a folder has the file's name; else something has its folder's
};

static void blocked_path_find(const char *name, void *user)
{
    struct blocked_path *o = user;
    struct stat st;
    int folder = o->name ? -1 : file_folder_open(o->root, name, false);
    bool link = !o->name && folder < 0 && errno == ENOTDIR;
    bool taken = folder >= 0 && !fstatat(folder, file_base(name), &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
    if (link || taken) o->name = bw_strdup(name), o->folder = taken;
    if (folder >= 0) close(folder);
}

int output_paths_check(const struct bake_facts *f, struct bw_chain *c, struct bw_diag *d)
{
    struct blocked_path o = {.root = open(f->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (o.root < 0) return 1; // who writes first says why
    bw_chain_outputs(c, blocked_path_find, &o);
    if (o.name)
        bw_diag_error(d, NULL, BW_ERR_IO, "%s/%s: can't be written: %s", f->out, o.name,
                      o.folder ? "a folder has its name" : "a link or a file is where its folder should be");
    bool good = !o.name;
    close(o.root);
    bw_free(o.name);
    return good;
}
