// SPDX-License-Identifier: Apache-2.0
/* The axes of a wedge, and all combinations of their choices. */
#include "wedge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_key(const char *text, size_t n) { return n > 0 && !memchr(text, ' ', n) && !memchr(text, '/', n); }

int vary_add(json_t *axes, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals && access(text, F_OK))
        return cli_usage("--vary wants KEY=VALUES or a YAML file, and there is no %s", text);
    if (!equals) return vary_file_add(axes, text);
    const size_t n = (size_t)(equals - text);
    if (!is_key(text, n)) return cli_usage("--vary wants KEY=VALUES or a YAML file, not \"%s\"", text);
    char *place = cli_printf("--vary %.*s", (int)n, text), *key = cli_printf("%.*s", (int)n, text);
    json_t *values = place && key ? values_of(equals + 1, place) : NULL, *axis = json_array(), *one;
    size_t i;
    json_array_foreach (values, i, one) json_array_append_new(axis, json_pack("{s:O}", key, one));
    if (values) json_array_append(axes, axis);
    const int good = values != NULL;
    json_decref(values);
    json_decref(axis);
    free(place);
    free(key);
    return good ? EXIT_CODE_OK : EXIT_CODE_USAGE;
}

/* A key that two axes set would take the last one's value in silence. */
static char *duplicate_key(const json_t *axes)
{
    const json_t *axis, *choice;
    json_t *seen = json_object(), *here;
    const char *key;
    char *twice = NULL;
    size_t i, k;
    json_array_foreach (axes, i, axis) {
        here = json_object();
        json_array_foreach (axis, k, choice) json_object_update_missing(here, (json_t *)choice);
        json_t *value;
        json_object_foreach (here, key, value) {
            if (json_object_get(seen, key) && !twice) twice = strdup(key);
            json_object_set(seen, key, value);
        }
        json_decref(here);
    }
    json_decref(seen);
    return twice;
}

json_t *vary_combine(const json_t *axes)
{
    double count = 1;
    const json_t *axis, *choice, *member;
    size_t i, j, k;
    char *twice = duplicate_key(axes);
    if (twice) {
        cli_usage("%s is varied twice", twice);
        free(twice);
        return NULL;
    }
    json_array_foreach (axes, i, axis) count *= (double)json_array_size(axis);
    if (count > WEDGE_MEMBERS_MOST) {
        cli_usage("that makes %.0f members; a wedge has %d at most", count, WEDGE_MEMBERS_MOST);
        return NULL;
    }
    json_t *all = json_pack("[{}]");
    json_array_foreach (axes, i, axis) {
        json_t *more = json_array();
        json_array_foreach (all, j, member)
            json_array_foreach (axis, k, choice) {
                json_t *one = json_copy((json_t *)member);
                json_object_update(one, (json_t *)choice);
                json_array_append_new(more, one);
            }
        json_decref(all);
        all = more;
    }
    return all;
}
