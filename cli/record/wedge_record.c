// SPDX-License-Identifier: Apache-2.0
/* wedge.json as others may have written it. Its names become names of files, its numbers those of frames and columns:
 * each is checked before anything is done with it. wedge/wedge.h says what they mean. */
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MEMBERS_MOST = 10000, TEXTS_MOST = 200, NAME_MOST = 200 };
static const double number_most = 1e15;

enum kind { TEXT, NAME, TEXTS, MAP, OBJECT, BOOLEAN, INTEGER, COUNT, AMOUNT, LIST };

struct row {
    const char *key;
    enum kind kind;
    int needed;
};

static const struct row plan_rows[] = {
    {"billow", INTEGER, 0}, {"preset", TEXT, 1},   {"name", NAME, 1},  {"set", TEXTS, 0},      {"mute", TEXTS, 0},
    {"keys", TEXTS, 1},     {"frames", TEXT, 0},   {"simd", TEXT, 0},  {"memory", TEXT, 0},    {"quick", BOOLEAN, 0},
    {"split", BOOLEAN, 0},  {"columns", COUNT, 0}, {"movie", TEXT, 0}, {"options", OBJECT, 0}, {"members", LIST, 1},
};
static const struct row member_rows[] = {
    {"number", COUNT, 1},  {"folder", NAME, 1},  {"values", MAP, 1},    {"hash", TEXT, 0},
    {"first", INTEGER, 0}, {"last", INTEGER, 0}, {"before", AMOUNT, 0}, {"fps", AMOUNT, 0},
    {"memory", AMOUNT, 0}, {"cells", AMOUNT, 0}, {"frames", TEXT, 0},
};

static struct record_place place_below(const struct record_place *p, const char *key, size_t index)
{
    struct record_place b = *p;
    b.key[b.depth] = key;
    b.index[b.depth++] = index;
    return b;
}

/* ---- values ---- */

/* It becomes part of a file's name. */
static int name_check(const struct record_place *p, const json_t *v)
{
    const char *name = json_string_value(v);
    if (!name || !*name || strlen(name) > NAME_MOST) return record_error(p, "has to be a name");
    if (cli_has_control(name)) return record_error(p, "has a control character in it");
    if (strchr(name, '/') || *name == '.')
        return record_error(p, "is \"%s\", which is no name of a file in this folder", name);
    return EXIT_CODE_OK;
}

static int texts_check(const struct record_place *p, const json_t *v)
{
    const json_t *one;
    size_t i;
    if (!json_is_array(v) || json_array_size(v) > TEXTS_MOST)
        return record_error(p, "has to be a list of %d texts at most", TEXTS_MOST);
    json_array_foreach (v, i, one) {
        const struct record_place b = place_below(p, NULL, i);
        if (!json_is_string(one)) return record_error(&b, "has to be a text");
    }
    return EXIT_CODE_OK;
}

static int map_check(const struct record_place *p, const json_t *v)
{
    const char *key;
    json_t *one;
    if (!json_is_object(v) || json_object_size(v) > TEXTS_MOST)
        return record_error(p, "has to be {key: text, …} of %d keys at most", TEXTS_MOST);
    json_object_foreach ((json_t *)v, key, one) {
        const struct record_place b = place_below(p, key, 0);
        if (!json_is_string(one)) return record_error(&b, "has to be a text");
    }
    return EXIT_CODE_OK;
}

static int value_check(const struct record_place *p, enum kind kind, const json_t *v)
{
    const double x = json_number_value(v);
    const int number = json_is_number(v) && fabs(x) < number_most;
    switch (kind) {
    case TEXT: return json_is_string(v) ? 0 : record_error(p, "has to be a text");
    case NAME: return name_check(p, v);
    case TEXTS: return texts_check(p, v);
    case MAP: return map_check(p, v);
    case OBJECT: return json_is_object(v) ? 0 : record_error(p, "has to be {…}");
    case BOOLEAN: return json_is_boolean(v) ? 0 : record_error(p, "has to be true or false");
    case INTEGER:
        return number && fabs(x) < 1e9 && x == floor(x) ? 0 : record_error(p, "has to be a whole number below 1e9");
    case COUNT:
        return json_is_integer(v) && x >= 1 && x <= MEMBERS_MOST
                   ? 0
                   : record_error(p, "has to be in 1 to %d", MEMBERS_MOST);
    case AMOUNT: return number && x >= 0 ? 0 : record_error(p, "has to be a number from 0 on");
    case LIST:
        return json_array_size(v) && json_array_size(v) <= MEMBERS_MOST
                   ? 0
                   : record_error(p, "has to be a list of 1 to %d members", MEMBERS_MOST);
    }
    return EXIT_CODE_OK;
}

static int rows_check(const struct record_place *p, const struct row *row, size_t n, const json_t *o)
{
    const char *key;
    json_t *value;
    if (!json_is_object(o)) return record_error(p, "has to be {…}");
    json_object_foreach ((json_t *)o, key, value) {
        const struct record_place b = place_below(p, key, 0);
        size_t i = 0;
        while (i < n && strcmp(row[i].key, key)) i++;
        const int code = i < n ? value_check(&b, row[i].kind, value) : record_error(&b, "is no key of a wedge");
        if (code) return code;
    }
    for (size_t i = 0; i < n; i++)
        if (row[i].needed && !json_object_get(o, row[i].key)) return record_error(p, "lacks \"%s\"", row[i].key);
    return EXIT_CODE_OK;
}

/* ---- members ---- */

/* A member lies in the wedge itself: a link would have it read, or baked, elsewhere. */
static int folder_check(const struct record_place *p, const char *folder)
{
    static const char *const inside[] = {"", "/vdb", "/ply"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        struct stat st;
        char *path = cli_printf("%s/%s%s", p->folder, folder, inside[i]);
        const int link = path && !lstat(path, &st) && !S_ISDIR(st.st_mode);
        if (link) record_error(p, "is no folder of the wedge: %s is a link or a file", path);
        free(path);
        if (link) return cli_exit_code(BW_ERR_IO);
    }
    return EXIT_CODE_OK;
}

static int member_check(const struct record_place *p, const json_t *member, size_t i)
{
    int code = rows_check(p, member_rows, sizeof member_rows / sizeof *member_rows, member);
    if (code) return code;
    const char *folder = cli_text(member, "folder");
    const struct record_place at_folder = place_below(p, "folder", 0), at_number = place_below(p, "number", 0),
                              at_last = place_below(p, "last", 0);
    char *end;
    if ((size_t)cli_number(member, "number") != i + 1) return record_error(&at_number, "has to be %zu", i + 1);
    if (strlen(folder) > 5 || strtoul(folder, &end, 10) != i + 1 || *end || *folder < '0' || *folder > '9')
        return record_error(&at_folder, "is \"%s\"; that of member %zu is its number", folder, i + 1);
    if (cli_number(member, "last") < cli_number(member, "first"))
        return record_error(&at_last, "is before the first frame");
    return folder_check(&at_folder, folder);
}

static int plan_check(const struct record_place *p, const json_t *plan)
{
    int code = rows_check(p, plan_rows, sizeof plan_rows / sizeof *plan_rows, plan);
    const json_t *members = json_object_get(plan, "members"), *one;
    const struct record_place all = place_below(p, "members", 0), at_preset = place_below(p, "preset", 0);
    size_t i;
    json_array_foreach (members, i, one) {
        const struct record_place b = place_below(&all, NULL, i);
        if (!code) code = member_check(&b, one, i);
    }
    if (!code && json_is_true(json_object_get(plan, "split")) && !*cli_text(plan, "movie") &&
        strcmp(cli_text(plan, "preset"), "farm/preset.yaml"))
        code = record_error(&at_preset, "has to be farm/preset.yaml, which lies in this folder");
    return code;
}

int wedge_record_read(const char *out, json_t **plan)
{
    const struct record_place p = {.folder = out, .name = "wedge.json"};
    int code = record_read(out, p.name, plan);
    if (!code && *plan) code = plan_check(&p, *plan);
    if (!code) return EXIT_CODE_OK;
    json_decref(*plan);
    *plan = NULL;
    return code;
}
