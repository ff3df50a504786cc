// SPDX-License-Identifier: Apache-2.0
/* bw_session_list: all stages, exporters and presets, and the plugins that could not be loaded, with the reason. */
#include "session.h"

#include <glob.h>
#include <string.h>

static const char *entry_brief(const struct bw_entry *e)
{
    const char *brief = e->stage ? e->stage->brief : e->exporter->brief;
    return brief ? brief : "";
}

struct bw_preset *session_preset(const struct session *s, const char *path, struct bw_diag *d)
{
    const struct bw_preset_overrides o = {.search = s->preset_path, .installed = s->folders.presets};
    return bw_preset_load(path, &o, d);
}

/* First sentence of the opening comment, or "". New memory. */
static char *preset_brief(const struct session *s, const char *path)
{
    struct bw_diag ignored = {0};
    struct bw_preset *p = session_preset(s, path, &ignored);
    char *brief = bw_strdup(p && p->comment ? p->comment : ignored.first ? "(can't be read; see billow check)" : "");
    if (brief) {
        char *end = strstr(brief, ". ");
        if (end) end[1] = '\0';
        brief[strcspn(brief, "\n")] = '\0';
    }
    bw_preset_free(p);
    bw_diag_free(&ignored);
    return brief;
}

static void preset_add(const struct session *s, json_t *list, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = bw_strdup(slash ? slash + 1 : path), *brief = preset_brief(s, path);
    if (name) name[strlen(name) - strlen(".yaml")] = '\0';
    if (name)
        json_array_append_new(list, json_pack("{s:o, s:o, s:s}", "name", json_bytes(name), "path", json_bytes(path),
                                              "brief", brief ? brief : ""));
    bw_free(name);
    bw_free(brief);
}

/* The presets of the first `length` bytes of `folder`. */
static void presets_add(const struct session *s, json_t *list, const char *folder, size_t length)
{
    glob_t found;
    char *pattern = bw_printf("%.*s/*.yaml", (int)length, folder);
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) preset_add(s, list, found.gl_pathv[i]);
        globfree(&found);
    }
    bw_free(pattern);
}

static json_t *presets_json(const struct session *s)
{
    json_t *list = json_array();
    for (const char *at = s->preset_path; *at;) {
        size_t n = strcspn(at, ":");
        if (n) presets_add(s, list, at, n);
        at += n + (at[n] == ':');
    }
    presets_add(s, list, s->folders.presets, strlen(s->folders.presets));
    return list;
}

static void broken_append(json_t *list, const char *path, const char *why)
{
    json_array_append_new(list, json_pack("{s:o, s:o}", "path", json_bytes(path), "why", json_bytes(why)));
}

static json_t *list_json(const struct session *s)
{
    const struct bw_registry *r = s->registry;
    json_t *stages = json_array(), *exporters = json_array(), *broken = json_array();
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_entry *e = &r->entry[i];
        json_array_append_new(e->stage ? stages : exporters,
                              json_pack("{s:s, s:s, s:o, s:o?}", "id", e->id, "brief", entry_brief(e), "path",
                                        json_bytes(e->path), "shadows", json_bytes(e->shadows)));
    }
    for (int32_t i = 0; i < r->n_broken; i++) broken_append(broken, r->broken[i].path, r->broken[i].why);
    return json_pack("{s:i, s:o, s:o, s:o, s:o}", "billow", 1, "stages", stages, "exporters", exporters, "presets",
                     presets_json(s), "broken", broken);
}

char *bw_session_list(struct bw_session *session)
{
    struct api_call api;
    api_enter(&api);
    struct session *s = session_acquire(session, &api.d);
    char *text = s ? json_text(list_json(s), JSON_INDENT(1), &api.d) : NULL;
    if (s) object_unref(&s->o);
    api_leave(&api);
    return text;
}
