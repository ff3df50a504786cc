// SPDX-License-Identifier: Apache-2.0
/* The plan of a wedge, and its members as bakes. */
#include "wedge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 256 };

/// A member's settings as texts of their own.
struct settings {
    char *set[SETS_MAX];
    const char *mute[SETS_MAX];
    int32_t n_set, n_mute;
};

static void settings_make(struct settings *s, const json_t *plan, const json_t *member)
{
    const json_t *one;
    const char *key;
    size_t i;
    *s = (struct settings){.n_set = 0};
    json_array_foreach (json_object_get(plan, "set"), i, one)
        if (s->n_set < SETS_MAX) s->set[s->n_set++] = strdup(json_string_value(one));
    json_array_foreach (json_object_get(plan, "mute"), i, one)
        if (s->n_mute < SETS_MAX) s->mute[s->n_mute++] = json_string_value(one);
    if (json_is_true(json_object_get(plan, "split"))) return; // members are ranges of frames
    json_object_foreach (json_object_get(member, "values"), key, one)
        if (s->n_set < SETS_MAX) s->set[s->n_set++] = cli_printf("%s=%s", key, json_string_value(one));
}

static void settings_free(struct settings *s)
{
    for (int32_t i = 0; i < s->n_set; i++) free(s->set[i]);
}

static const char *text_or_null(const json_t *plan, const char *key)
{
    return json_string_value(json_object_get(plan, key));
}

/* A member that is a range of frames has them itself. */
static const char *member_text(const json_t *plan, const json_t *member, const char *key)
{
    const char *own = strcmp(key, "frames") ? NULL : text_or_null(member, key);
    return own ? own : text_or_null(plan, key);
}

/* Of a bake over several tasks it lies beside them. */
static char *preset_path(const json_t *plan, const char *out)
{
    const char *preset = cli_text(plan, "preset");
    return json_is_true(json_object_get(plan, "split")) ? cli_printf("%s/%s", out, preset) : strdup(preset);
}

/* The library reports the wrong setting as --set; print it as the member's --vary value instead. */
static int member_failed(const json_t *member)
{
    const struct bw_error *e = bw_error_last();
    const char *sentence = e->sentence, *rest = strncmp(sentence, "--set:", 6) ? NULL : strstr(sentence, ": ");
    if (!rest) return cli_library_error();
    const char *key, *between = "";
    json_t *value;
    fprintf(stderr, "member %.0f (", cli_number(member, "number"));
    json_object_foreach (json_object_get(member, "values"), key, value) {
        fprintf(stderr, "%s%s=%s", between, key, json_string_value(value));
        between = " ";
    }
    fprintf(stderr, "): %s\n", rest + 2);
    return cli_exit_code(e->status);
}

/* Of a bake over several tasks it is a record like the plan. */
static int preset_inside(const json_t *plan, const char *out)
{
    const int beside = json_is_true(json_object_get(plan, "split")) && !*cli_text(plan, "movie");
    const int fd = beside ? bw_folder_open(out, cli_text(plan, "preset")) : -1;
    if (fd >= 0) close(fd);
    return !beside || fd >= 0;
}

int plan_open(struct bw_session *session, const json_t *plan, size_t i, const char *out, struct bw_bake **bake)
{
    if (!preset_inside(plan, out)) return cli_library_error();
    const json_t *member = json_array_get(json_object_get(plan, "members"), i);
    struct settings s;
    char *folder = member_path(out, member, ""), *preset = preset_path(plan, out);
    settings_make(&s, plan, member);
    struct bw_bake_options o = {.size = sizeof o,
                                .preset = preset,
                                .set = (const char *const *)s.set,
                                .n_set = s.n_set,
                                .mute = s.mute,
                                .n_mute = s.n_mute,
                                .frames = member_text(plan, member, "frames"),
                                .memory = text_or_null(plan, "memory"),
                                .simd = text_or_null(plan, "simd"),
                                .quick = json_is_true(json_object_get(plan, "quick")),
                                .out = folder};
    const int code = bw_bake_open(session, &o, bake) ? member_failed(member) : EXIT_CODE_OK;
    settings_free(&s);
    free(preset);
    free(folder);
    return code;
}

char **plan_arguments(const json_t *plan, size_t i, const char *out, int *argc)
{
    static const char *const keys[] = {"frames", "memory", "simd"};
    const json_t *member = json_array_get(json_object_get(plan, "members"), i);
    struct settings s;
    settings_make(&s, plan, member);
    char **line = calloc((size_t)(2 * (s.n_set + s.n_mute) + 24), sizeof *line);
    int n = 0;
    if (!line) return settings_free(&s), NULL;
    line[n++] = strdup("bake");
    line[n++] = preset_path(plan, out);
    line[n++] = strdup("--out");
    line[n++] = member_path(out, member, "");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *text = member_text(plan, member, keys[k]);
        if (!text) continue;
        line[n++] = cli_printf("--%s", keys[k]);
        line[n++] = strdup(text);
    }
    if (json_is_true(json_object_get(plan, "quick"))) line[n++] = strdup("--quick");
    for (int32_t k = 0; k < s.n_mute; k++) line[n++] = strdup("--mute"), line[n++] = strdup(s.mute[k]);
    for (int32_t k = 0; k < s.n_set; k++) line[n++] = strdup("--set"), line[n++] = strdup(s.set[k]);
    settings_free(&s);
    *argc = n;
    return line;
}

void plan_arguments_free(char **line)
{
    for (char **one = line; one && *one; one++) free(*one);
    free(line);
}

/* ---- what the library says ---- */

static int member_fill(struct bw_bake *bake, json_t *plan, json_t *member)
{
    struct bw_bake_facts f = {.size = sizeof f};
    json_t *all = bw_bake_facts(bake, &f) ? NULL : cli_json(bw_bake_describe(bake));
    if (!all) return cli_library_error();
    if (f.source) {
        cli_print_line(stderr, "%s takes its frames from %s: bake that first, into %s", f.name, f.source, f.source_out);
        json_decref(all);
        return EXIT_CODE_USAGE;
    }
    json_object_set_new(member, "hash", json_string(f.hash));
    json_object_set_new(member, "first", json_integer(f.first));
    json_object_set_new(member, "last", json_integer(f.last));
    json_object_set_new(member, "before", json_real(cli_number(all, "before")));
    json_object_set_new(member, "fps", json_real(f.fps));
    json_object_set_new(member, "memory", json_real(f.memory));
    json_object_set_new(member, "cells", json_real(cli_number(all, "cells")));
    json_object_set_new(plan, "name", json_string(f.name));
    json_decref(all);
    return EXIT_CODE_OK;
}

int plan_fill(struct bw_session *session, json_t *plan, const char *out)
{
    json_t *members = json_object_get(plan, "members");
    int code = EXIT_CODE_OK;
    for (size_t i = 0; i < json_array_size(members) && !code; i++) {
        struct bw_bake *bake = NULL;
        code = plan_open(session, plan, i, out, &bake);
        if (!code) code = member_fill(bake, plan, json_array_get(members, i));
        bw_bake_close(bake);
    }
    return code;
}

/* ---- words ---- */

/* The last part of a key, unless another key has the same. */
static const char *key_short(const json_t *plan, const char *key)
{
    const char *dot = strrchr(key, '.'), *word = dot ? dot + 1 : key;
    const json_t *other;
    size_t i;
    json_array_foreach (json_object_get(plan, "keys"), i, other) {
        const char *text = json_string_value(other), *end = strrchr(text, '.');
        if (strcmp(text, key) && !strcmp(end ? end + 1 : text, word)) return key;
    }
    return word;
}

char *member_label(const json_t *plan, const json_t *member, const char *between)
{
    char *words = strdup("");
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(member, "values"), key, value) {
        char *more = cli_printf("%s%s%s=%s", words ? words : "", words && *words ? between : "", key_short(plan, key),
                                json_string_value(value));
        free(words);
        words = more;
    }
    return words;
}

char *member_path(const char *out, const json_t *member, const char *ending)
{
    return cli_printf("%s/%s%s", out, cli_text(member, "folder"), ending);
}
