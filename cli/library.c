// SPDX-License-Identifier: Apache-2.0
/* What every command does with the library: open a session, say what failed, read its JSON. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

void cli_warn(void)
{
    for (const char *line = bw_error_last()->text; *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(stderr, "%s%.*s\n", strncmp(line, "note: ", 6) ? "warning: " : "", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

struct bw_session *cli_session_open(const char *plugin_path, const char *preset_path)
{
    struct bw_session_options o = {sizeof o, plugin_path, preset_path};
    struct bw_session *session;
    if (bw_session_open(&o, &session)) return cli_library_error(), NULL;
    cli_warn();
    return session;
}

void cli_particles_warn(struct bw_cache *cache, const char *not_what)
{
    struct bw_snapshot *points = NULL;
    struct bw_snapshot_facts f = {.size = sizeof f};
    json_t *all = cli_json(bw_cache_describe(cache, 0));
    const int64_t first = (int64_t)cli_number(all, "first");
    if (all && !bw_cache_points(cache, first, &points) && !bw_snapshot_facts(points, &f) && f.n_points > 0)
        fprintf(stderr, "warning: particles that lie beside the cache, such as %s, are not %s\n", f.points[0].name,
                not_what);
    bw_snapshot_close(points);
    json_decref(all);
}

int cli_library_error(void)
{
    const struct bw_error *e = bw_error_last();
    int code = cli_exit_code(e->status);
    if (code == 7 && !strcmp(e->text, "out of memory\n")) fputs("billow: out of memory\n", stderr);
    else if (code != 130) fputs(e->text, stderr);
    cli_json_error(e, code);
    return code;
}

json_t *cli_json_plain(char *text)
{
    json_t *root = text ? json_loads(text, 0, NULL) : NULL;
    bw_text_free(text);
    return root;
}

/* U+EF80 … U+EFFF become the bytes of a file's name that they stand for. */
static void string_restore(json_t *string)
{
    const char *text = json_string_value(string);
    char *bytes = strstr(text, "\xEE\xBE") || strstr(text, "\xEE\xBF") ? strdup(text) : NULL, *end = bytes;
    if (!bytes) return;
    for (const char *s = text; *s;) {
        int third = (unsigned char)s[0] == 0xEE && ((unsigned char)s[1] & 0xFE) == 0xBE ? s[2] & 0x3F : -1;
        *end++ = third < 0 ? *s : (char)(((unsigned char)s[1] == 0xBE ? 0x80 : 0xC0) | third);
        s += third < 0 ? 1 : 3;
    }
    json_string_setn_nocheck(string, bytes, (size_t)(end - bytes));
    free(bytes);
}

static void bytes_restore(json_t *root)
{
    const char *key;
    json_t *one;
    size_t i;
    if (json_is_string(root)) string_restore(root);
    json_object_foreach (root, key, one) bytes_restore(one);
    json_array_foreach (root, i, one) bytes_restore(one);
}

json_t *cli_json(char *text)
{
    json_t *root = cli_json_plain(text);
    bytes_restore(root);
    return root;
}

const char *cli_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

double cli_number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

double cli_number_at(const json_t *o, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(o, key), i));
}
