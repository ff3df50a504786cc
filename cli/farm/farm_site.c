// SPDX-License-Identifier: Apache-2.0
/* The site file of a farm: by --site, by BILLOW_SITE, in the user's configuration folder, or in /etc/billow. */
#include "farm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_MOST = 64 }; ///< that one bake may have (library/job/ranks.c)

static const char *const asks[] = {"time", "memory",      "cores",      "ranks",   "partition", "account",
                                   "qos",  "reservation", "constraint", "at_once", "nice",      "options"};
static const char *const counts[] = {"cores", "ranks", "at_once"};
static const char *const keys[] = {"billow", "modules", "setup", "container", "paths", "ask"};
enum {
    N_ASKS = sizeof asks / sizeof *asks,
    N_COUNTS = sizeof counts / sizeof *counts,
    N_KEYS = sizeof keys / sizeof *keys
};

static int is_among(const char *word, const char *const *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(word, words[i])) return 1;
    return 0;
}

static void key_unknown(const char *place, const char *word, const char *const *words, uint32_t n)
{
    const char *near = bw_nearest_word(word, words, n);
    if (near) fprintf(stderr, "%s: there is no \"%s\"; did you mean %s?\n", place, word, near);
    else fprintf(stderr, "%s: there is no \"%s\" to be asked of a site\n", place, word);
}

/* A line of a script holds one value. 0 after an error message. */
static int ask_check(const char *place, const char *key, const char *value)
{
    char *end;
    if (!is_among(key, asks, N_ASKS)) return key_unknown(place, key, asks, N_ASKS), 0;
    if (!*value || strpbrk(value, "\n\"")) {
        fprintf(stderr, "%s: %s wants one line without quotes\n", place, key);
        return 0;
    }
    if (!is_among(key, counts, N_COUNTS)) return 1;
    const long n = strtol(value, &end, 10);
    if (!strcmp(key, "ranks") && !*end && n > RANKS_MOST) {
        fprintf(stderr, "%s: ranks wants %d at most\n", place, RANKS_MOST);
        return 0;
    }
    if (!*end && n > 0 && n < 100000) return 1;
    fprintf(stderr, "%s: %s wants a whole number above 0, not \"%s\"\n", place, key, value);
    return 0;
}

static int ask_parse(struct farm_options *w, const char *text)
{
    const char *equals = strchr(text, '=');
    char *key = equals ? cli_printf("%.*s", (int)(equals - text), text) : NULL;
    if (!key) return cli_usage("--ask wants KEY=VALUE, not \"%s\"", text);
    const int good = ask_check("--ask", key, equals + 1);
    if (good && !w->ask) w->ask = json_object();
    if (good) json_object_set_new(w->ask, key, json_string(equals + 1));
    else farm_options_free(w); // the command ends
    free(key);
    return good ? EXIT_CODE_OK : EXIT_CODE_USAGE;
}

int farm_option(struct farm_options *w, int code, const char *text)
{
    if (code == 'T') return w->site = text, EXIT_CODE_OK;
    if (code == 'K') return ask_parse(w, text);
    w->on = text;
    return strcmp(text, "slurm") ? cli_usage("--on takes slurm, not \"%s\"", text) : EXIT_CODE_OK;
}

int farm_ranks(const json_t *site)
{
    const char *text = cli_text(json_object_get(site, "ask"), "ranks");
    return *text ? (int)strtol(text, NULL, 10) : 1;
}

void farm_options_free(struct farm_options *w)
{
    json_decref(w->ask);
    w->ask = NULL;
}

int farm_options_check(const struct farm_options *w)
{
    if (w->on || (!w->site && !w->ask)) return EXIT_CODE_OK;
    return cli_usage("--site and --ask go with --on slurm");
}

/* ---- the file ---- */

static char *location_text(const char *path, const json_t *node)
{
    return cli_printf("%s:%.0f:%.0f", path, cli_number(node, "line"), cli_number(node, "column"));
}

/* Texts for nodes: a list of them, or one. */
static json_t *node_texts(const json_t *node)
{
    const json_t *list = json_object_get(node, "list"), *one;
    size_t i;
    if (!list) return json_string(cli_text(node, "text"));
    json_t *out = json_array();
    json_array_foreach (list, i, one) json_array_append_new(out, json_string(cli_text(one, "text")));
    return out;
}

static int asks_read(json_t *site, const char *path, const json_t *node)
{
    json_t *out = json_object(), *map = json_object_get(node, "map"), *one;
    const char *key;
    int good = 1;
    json_object_set_new(site, "ask", out);
    json_object_foreach (map, key, one) {
        char *place = location_text(path, one);
        if (good && strcmp(key, "options")) good = ask_check(place, key, cli_text(one, "text"));
        json_object_set_new(out, key, node_texts(one));
        free(place);
    }
    return good;
}

static int entry_read(json_t *site, const char *path, const char *key, const json_t *node)
{
    json_t *map = json_object_get(node, "map"), *one, *out;
    const char *from;
    if (!strcmp(key, "ask")) return asks_read(site, path, node);
    if (!strcmp(key, "paths")) {
        json_object_set_new(site, key, out = json_object());
        json_object_foreach (map, from, one) json_object_set_new(out, from, node_texts(one));
        return 1;
    }
    json_object_set_new(site, key, node_texts(node));
    return 1;
}

static int file_read(json_t *site, const char *path)
{
    json_t *all = cli_json(bw_yaml_read(path)), *one;
    const char *key;
    if (!all) return cli_library_error();
    int good = 1;
    json_object_foreach (json_object_get(all, "map"), key, one) {
        char *place = location_text(path, one);
        if (good && !is_among(key, keys, N_KEYS)) good = 0, key_unknown(place, key, keys, N_KEYS);
        if (good) good = entry_read(site, path, key, one);
        free(place);
    }
    json_decref(all);
    return good ? EXIT_CODE_OK : cli_exit_code(BW_ERR_PRESET);
}

/* The first that is there; new memory. One that was named has to be. */
static char *file_find(const struct farm_options *w)
{
    const char *named = w->site ? w->site : getenv("BILLOW_SITE"), *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    if (named && *named) return strdup(named);
    char *own = config && *config ? cli_printf("%s/billow/site.yaml", config)
                : home            ? cli_printf("%s/.config/billow/site.yaml", home)
                                  : NULL;
    if (own && !access(own, R_OK)) return own;
    free(own);
    return access("/etc/billow/site.yaml", R_OK) ? NULL : strdup("/etc/billow/site.yaml");
}

json_t *farm_site(const struct farm_options *w, int *code)
{
    json_t *site = json_object();
    char *path = file_find(w);
    *code = path ? file_read(site, path) : EXIT_CODE_OK;
    free(path);
    if (!json_object_get(site, "ask")) json_object_set_new(site, "ask", json_object());
    if (w->ask) json_object_update(json_object_get(site, "ask"), w->ask);
    if (!*code) return site;
    json_decref(site);
    return NULL;
}
