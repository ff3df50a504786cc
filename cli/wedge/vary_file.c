// SPDX-License-Identifier: Apache-2.0
/* A file of what varies:
 *
 *     grid: {stages.source.density: [1, 2], time.seed: 1..4}      # every combination
 *     list: [{stages.source.density: 1, time.cfl: 2}, …]          # these, as they are
 *     random: {draws: 8, seed: 1, stages.mac.forces.confinement: 0.1..0.5, domain.voxel: [1 cm, 2 cm]}
 *
 * Sections that are there are combined with each other. A draw depends on the section's seed, the number of the draw
 * and the place of the key alone. */
#include "wedge.h"

#include <stdlib.h>
#include <string.h>

/* "vary.yaml:3:5", new memory. */
static char *location_text(const char *path, const json_t *node)
{
    return cli_printf("%s:%.0f:%.0f", path, cli_number(node, "line"), cli_number(node, "column"));
}

static int file_error(const char *path, const json_t *node, const char *sentence)
{
    char *place = location_text(path, node);
    cli_print_line(stderr, "%s: %s", place ? place : path, sentence);
    free(place);
    return cli_exit_code(BW_ERR_PRESET);
}

/* A text inside brackets. Plain texts may hold what divides those. */
static char *quoted_if_needed(const char *text)
{
    json_t *string = strpbrk(text, ",[]{}:#'\"") ? json_string(text) : NULL;
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : strdup(text);
    json_decref(string);
    return quoted;
}

static char *text_join(char *all, const char *between, const char *key, char *text)
{
    char *name = key ? quoted_if_needed(key) : NULL;
    char *more = cli_printf("%s%s%s%s%s", all, between, name ? name : "", name ? ": " : "", text);
    free(name);
    free(text);
    free(all);
    return more;
}

/* A value as a preset would have it, on one line; new memory. `inside`: of brackets. */
static char *node_text(const json_t *node, int inside)
{
    const json_t *list = json_object_get(node, "list"), *map = json_object_get(node, "map"), *one;
    const char *key, *quoted = cli_text(node, "quoted");
    size_t i;
    if (*quoted) return strdup(quoted);
    if (!list && !map) return inside ? quoted_if_needed(cli_text(node, "text")) : strdup(cli_text(node, "text"));
    char *all = strdup(list ? "[" : "{");
    json_array_foreach (list, i, one) all = text_join(all, i ? ", " : "", NULL, node_text(one, 1));
    i = 0;
    json_object_foreach ((json_t *)map, key, one) all = text_join(all, i++ ? ", " : "", key, node_text(one, 1));
    char *whole = cli_printf("%s%s", all, list ? "]" : "}");
    free(all);
    return whole;
}

static void text_append(json_t *list, const json_t *node)
{
    char *text = node_text(node, 0);
    json_array_append_new(list, json_string(text ? text : ""));
    free(text);
}

/* A list's items as they are, a text's as on the command line. */
static json_t *node_values(const char *path, const json_t *node)
{
    const json_t *list = json_object_get(node, "list"), *one;
    size_t i;
    char *place = location_text(path, node);
    json_t *values = list ? json_array() : values_of(cli_text(node, "text"), place);
    json_array_foreach (list, i, one) text_append(values, one);
    free(place);
    return values;
}

/* ---- sections ---- */

static int grid_add(json_t *axes, const char *path, const json_t *section)
{
    const char *key;
    json_t *node, *one, *map = json_object_get(section, "map");
    size_t i;
    if (!map) return file_error(path, section, "grid wants a map of keys to their values");
    json_object_foreach (map, key, node) {
        json_t *values = node_values(path, node), *axis = json_array();
        if (!values) return json_decref(axis), cli_exit_code(BW_ERR_PRESET);
        json_array_foreach (values, i, one) json_array_append_new(axis, json_pack("{s:O}", key, one));
        json_array_append_new(axes, axis);
        json_decref(values);
        if (!i) return file_error(path, node, "a key has no value");
    }
    return EXIT_CODE_OK;
}

static int list_add(json_t *axes, const char *path, const json_t *section)
{
    const char *key;
    json_t *node, *item, *axis = json_array(), *list = json_object_get(section, "list");
    size_t i;
    json_array_append_new(axes, axis);
    if (!json_array_size(list)) return file_error(path, section, "list wants maps of keys to a value each");
    json_array_foreach (list, i, item) {
        json_t *choice = json_object(), *map = json_object_get(item, "map");
        json_array_append_new(axis, choice);
        if (!map) return file_error(path, item, "list wants maps of keys to a value each");
        json_object_foreach (map, key, node) {
            char *text = node_text(node, 0);
            json_object_set_new(choice, key, json_string(text ? text : ""));
            free(text);
        }
    }
    return EXIT_CODE_OK;
}

/* A number in [0, 1) from three (splitmix64). */
static double random_unit(uint64_t seed, uint64_t draw, uint64_t key)
{
    uint64_t x = seed * 0x9E3779B97F4A7C15u + draw * 0xD1B54A32D192ED03u + key * 0x8CB92BA72F3D8DD7u;
    for (int i = 0; i < 2; i++) {
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
        x = (x ^ x >> 27) * 0x94D049BB133111EBu;
        x ^= x >> 31;
    }
    return (double)(x >> 11) * 0x1p-53;
}

static json_t *value_draw(const char *path, const json_t *node, double part)
{
    const json_t *list = json_object_get(node, "list");
    char *place = location_text(path, node), *text = NULL;
    json_t *value = NULL;
    if (!list) value = value_interpolate(cli_text(node, "text"), part, place);
    else if (json_array_size(list)) {
        text = node_text(json_array_get(list, (size_t)(part * (double)json_array_size(list))), 0);
        value = json_string(text ? text : "");
    } else {
        file_error(path, node, "an empty list is nothing to draw from");
    }
    free(text);
    free(place);
    return value;
}

static int integer_parse(const char *path, const json_t *map, const char *key, long long least, long long *value)
{
    const json_t *node = json_object_get(map, key);
    char *place = node ? location_text(path, node) : NULL, *what = node ? cli_printf("%s: %s", place, key) : NULL;
    const int good = !node || cli_integer(what, cli_text(node, "text"), least, 1000000000, value);
    free(place);
    free(what);
    return good;
}

static int random_add(json_t *axes, const char *path, const json_t *section)
{
    const char *key;
    json_t *node, *axis = json_array(), *map = json_object_get(section, "map");
    long long draws = 0, seed = 1;
    json_array_append_new(axes, axis);
    if (!map || !integer_parse(path, map, "draws", 1, &draws) || !integer_parse(path, map, "seed", 0, &seed) || !draws)
        return file_error(path, section, "random wants `draws`, how many, and keys to what they are drawn from");
    if (draws > WEDGE_MEMBERS_MOST) return file_error(path, section, "a wedge has 1000 members at most");
    for (long long i = 0; i < draws; i++) {
        json_t *choice = json_object();
        uint64_t place = 0;
        json_array_append_new(axis, choice);
        json_object_foreach (map, key, node) {
            if (!strcmp(key, "draws") || !strcmp(key, "seed")) continue;
            json_t *value = value_draw(path, node, random_unit((uint64_t)seed, (uint64_t)i, place++));
            if (!value) return cli_exit_code(BW_ERR_PRESET);
            json_object_set_new(choice, key, value);
        }
        if (!place) return file_error(path, section, "random names no key");
    }
    return EXIT_CODE_OK;
}

/* ---- the file ---- */

static const char *const names[] = {"grid", "list", "random"};

static int section_unknown(const char *path, const char *key, const json_t *node)
{
    const char *near = bw_nearest_word(key, names, 3);
    char *sentence = near ? cli_printf("there is no section \"%s\"; did you mean %s?", key, near)
                          : cli_printf("there is no section \"%s\"; grid, list and random are known", key);
    const int code = file_error(path, node, sentence ? sentence : "an unknown section");
    free(sentence);
    return code;
}

int vary_file_add(json_t *axes, const char *path)
{
    static int (*const add[])(json_t *, const char *, const json_t *) = {grid_add, list_add, random_add};
    json_t *all = cli_json(bw_yaml_read(path)), *map = json_object_get(all, "map"), *node;
    const char *key;
    int code = all ? EXIT_CODE_OK : cli_library_error();
    if (all && !json_object_size(map)) code = file_error(path, all, "sections grid, list or random are wanted");
    json_object_foreach (map, key, node) {
        size_t i = 0;
        while (i < 3 && strcmp(key, names[i])) i++;
        if (!code) code = i < 3 ? add[i](axes, path, node) : section_unknown(path, key, node);
    }
    json_decref(all);
    return code;
}
