// SPDX-License-Identifier: Apache-2.0
/* A preset's file and the files that it extends, read into one tree. A file may be reached once on the way down. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "preset_private.h"

#include "base/alloc.h"
#include "base/file.h"
#include <stdlib.h>
#include <string.h>

enum { EXTENDS_MAX = 16 };

/* The files between the preset asked for and the one being read, to find circles. */
struct descent {
    struct bw_preset *preset;
    const struct bw_preset_overrides *over;
    struct bw_diag *diag;
    char *real[EXTENDS_MAX];
    int32_t depth;
};

static enum bw_status lists_prepare(struct bw_node *root, struct bw_diag *d)
{
    return bw_first_error(bw_preset_assign_ids(bw_node_get(root, "stages"), d),
                          bw_preset_assign_ids(bw_node_get(root, "export"), d));
}

static enum bw_status lists_place(struct bw_node *root, struct bw_diag *d)
{
    return bw_first_error(bw_preset_reorder(bw_node_get(root, "stages"), d),
                          bw_preset_reorder(bw_node_get(root, "export"), d));
}

static enum bw_status files_add(struct bw_preset *p, const char *path, struct bw_diag *d)
{
    char **grown = bw_realloc(p->files, (size_t)(p->n_files + 1) * sizeof *grown);
    if (!grown) return bw_error_memory(d);
    p->files = grown;
    grown[p->n_files] = bw_strdup(path);
    return grown[p->n_files] ? (p->n_files++, BW_OK) : bw_error_memory(d);
}

static struct bw_node *tree_read(struct descent *s, const char *path, const char *text);

/* Sentences quote what they are about. A file that says nowhere that it is a preset is not quoted, for who wrote its
 * name into a preset need not be allowed to read it: pages on the net take presets, too. */
bool bw_preset_is_text(const char *text)
{
    static const char *const key[] = {"billow", "extends", "domain", "stages"};
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, "\n\r\t {\"'");
        for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
            const size_t n = strlen(key[i]);
            if (!strncmp(line, key[i], n) && line[n + strspn(line + n, "\"' ")] == ':') return true;
        }
    }
    return false;
}

/* Beside the file, else a name (no path) as `billow bake` would find it; NULL after a sentence. */
static char *base_find(const struct descent *s, const char *path, const struct bw_node *extends)
{
    const char *slash = strrchr(path, '/'), *name = extends->text;
    int memory = 0;
    char *base = name[0] == '/' || !slash ? bw_file_in("", 0, name, &memory)
                                          : bw_file_in(path, (int)(slash - path), name, &memory);
    if (!base && !memory && !strchr(name, '/'))
        base = bw_preset_in_folders(name, s->over->search, s->over->installed, &memory);
    if (memory) return bw_error_memory(s->diag), NULL;
    if (!base)
        bw_diag_error(s->diag, &extends->place, BW_ERR_PRESET,
                      strchr(name, '/') ? "there is no preset \"%s\" to extend"
                                        : "there is no preset \"%s\" to extend, neither beside this file nor installed",
                      name);
    return base;
}

/* The base's tree, or NULL after an error. */
static struct bw_node *base_read(struct descent *s, const char *path, const struct bw_node *extends)
{
    struct bw_diag *d = s->diag;
    if (bw_check_word(extends, "extends", d)) return NULL;
    char *base = base_find(s, path, extends);
    if (!base) return NULL;
    char *real = realpath(base, NULL);
    int circle = 0;
    for (int32_t i = 0; real && i < s->depth; i++) circle |= !strcmp(real, s->real[i]);
    free(real);
    struct bw_node *root = NULL;
    char *text = NULL;
    if (circle) {
        bw_diag_error(d, &extends->place, BW_ERR_PRESET, "\"%s\" extends itself, by way of this line", extends->text);
    } else if (s->depth == EXTENDS_MAX) {
        bw_diag_error(d, &extends->place, BW_ERR_PRESET, "more than %d presets extend each other", EXTENDS_MAX);
    } else {
        const char *why;
        FILE *f = bw_file_open(base, &why);
        if (f) fclose(f), text = bw_file_text(base, NULL, d);
        else bw_diag_error(d, &extends->place, BW_ERR_PRESET, "\"%s\" can't be read: %s", extends->text, why);
        if (text && bw_preset_is_text(text)) root = tree_read(s, base, text);
        else if (text)
            bw_diag_error(d, &extends->place, BW_ERR_PRESET, "\"%s\" is no preset: no line of it begins with billow: 1",
                          extends->text);
    }
    bw_free(text);
    bw_free(base);
    return root;
}

static enum bw_status version_check(const struct bw_node *root, struct bw_diag *d)
{
    const struct bw_node *n = bw_node_get(root, "billow");
    if (!n || (n->type == BW_NODE_SCALAR && !strcmp(n->text, "1"))) return BW_OK;
    if (n->type != BW_NODE_SCALAR) return bw_diag_error(d, &n->place, BW_ERR_PRESET, "billow has to be 1");
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "this Billow reads presets of version 1, not %s", n->text);
}

static struct bw_node *tree_failed(struct bw_node *a, struct bw_node *b)
{
    bw_node_free(a);
    bw_node_free(b);
    return NULL;
}

static struct bw_node *tree_extend(struct descent *s, const char *path, struct bw_node *root)
{
    struct bw_diag *d = s->diag;
    const struct bw_node *extends = bw_node_get(root, "extends");
    if (bw_node_is_null(extends)) {
        return files_add(s->preset, path, d) || lists_place(root, d) ? tree_failed(root, NULL) : root;
    }
    struct bw_node *base = base_read(s, path, extends);
    if (!base || files_add(s->preset, path, d) || bw_preset_merge(base, root, d) || lists_place(base, d)) {
        return tree_failed(root, base);
    }
    bw_node_free(root);
    return base;
}

static struct bw_node *tree_read(struct descent *s, const char *path, const char *text)
{
    struct bw_node *root = text ? bw_node_parse(text, path, s->diag) : bw_node_load(path, s->diag);
    if (!root) return NULL;
    if (root->type != BW_NODE_MAP) {
        bw_diag_error(s->diag, &root->place, BW_ERR_PRESET,
                      "a preset has to be a map {billow: 1, domain: ..., stages: ...}");
        return tree_failed(root, NULL);
    }
    if (version_check(root, s->diag) || lists_prepare(root, s->diag)) return tree_failed(root, NULL);
    char *real = realpath(path, NULL);
    if (!real && text) real = strdup(path);
    if (!real) {
        bw_diag_error(s->diag, BW_NAMED(path), BW_ERR_IO, "%s can't be read", path);
        return tree_failed(root, NULL);
    }
    s->real[s->depth++] = real;
    struct bw_node *merged = tree_extend(s, path, root);
    free(s->real[--s->depth]);
    return merged;
}

struct bw_node *bw_preset_read_tree(struct bw_preset *p, const char *path, const struct bw_preset_overrides *o,
                                    struct bw_diag *d)
{
    struct descent s = {.preset = p, .over = o, .diag = d};
    return tree_read(&s, path, o->text);
}
