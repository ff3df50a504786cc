// SPDX-License-Identifier: Apache-2.0
#include "look_settings.h"

#include "json_text.h"
#include "tune/preset_parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 300 };

static int is_word(const char *key) { return *key && strspn(key, "abcdefghijklmnopqrstuvwxyz_") == strlen(key); }

/// Does a value name a file, anywhere in it?
static int names_file(const json_t *value)
{
    const char *key;
    json_t *inside;
    size_t i;
    int found = 0;
    json_object_foreach ((json_t *)(uintptr_t)value, key, inside) found |= !strcmp(key, "file") || names_file(inside);
    json_array_foreach (value, i, inside) found |= names_file(inside);
    return found;
}

/// Maps of words are set key by key, so that what the bake has beside them stays; else the whole value. A value is
/// written as JSON, in which no text can become another key.
static int value_add(json_t *out, const char *path, const json_t *value)
{
    const char *key;
    json_t *inside;
    char deeper[MAX_PATH];
    int nested = json_object_size(value) > 0, good = 1;
    json_object_foreach ((json_t *)(uintptr_t)value, key, inside) nested &= is_word(key);
    if (!nested) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        json_t *set = text ? json_sprintf("%s=%s", path, text) : NULL;
        free(text);
        return !json_array_append_new(out, set);
    }
    json_object_foreach ((json_t *)(uintptr_t)value, key, inside) {
        good &= snprintf(deeper, sizeof deeper, "%s.%s", path, key) < (int)sizeof deeper;
        good = good && value_add(out, deeper, inside);
    }
    return good;
}

static json_t *settings_of(const json_t *plain, char why[200])
{
    const json_t *look = json_object_get(plain, "look");
    json_t *out = json_array();
    *why = '\0';
    if (json_object_size(plain) != 1 || !json_is_object(look))
        snprintf(why, 200, "a look is `look:` with its values, and nothing else");
    else if (names_file(look)) snprintf(why, 200, "from the page no file can be named");
    else if (json_object_size(look) && !value_add(out, "look", look)) snprintf(why, 200, "the look is too long");
    if (!*why) return out;
    json_decref(out);
    return NULL;
}

json_t *look_tree(const char *text, char why[200])
{
    if (strlen(text) > MAX_LOOK) snprintf(why, 200, "the look is too long");
    else if (strpbrk(text, "&*")) snprintf(why, 200, "a look has no anchors");
    else {
        json_t *tree = json_from_text(bw_preset_tree(text, "look"));
        if (!tree) snprintf(why, 200, "%s", bw_error_last()->sentence);
        return tree;
    }
    return NULL;
}

json_t *look_settings(const char *text, char why[200])
{
    json_t *tree = look_tree(text, why), *plain = tree ? preset_plain_value(tree) : NULL;
    json_t *out = tree ? settings_of(plain, why) : NULL;
    json_decref(plain);
    json_decref(tree);
    return out;
}
