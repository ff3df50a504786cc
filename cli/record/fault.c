// SPDX-License-Identifier: Apache-2.0
/* Where a record is wrong. JSON is YAML, so the reader of presets knows the lines, and is asked when one is wanted. */
#include "record.h"

#include <stdarg.h>
#include <stdlib.h>

static const json_t *node_find(const json_t *node, const struct record_place *place)
{
    for (int i = 0; i < place->depth; i++) {
        const json_t *below = place->key[i] ? json_object_get(json_object_get(node, "map"), place->key[i])
                                            : json_array_get(json_object_get(node, "list"), place->index[i]);
        if (!below) break; // what is missing is missing here
        node = below;
    }
    return node;
}

static void place_print(const char *folder, const char *name, const struct record_place *place)
{
    char *path = cli_printf("%s/%s", folder, name);
    json_t *all = path ? cli_json(bw_yaml_read(path)) : NULL;
    const json_t *node = all ? node_find(all, place) : NULL;
    if (node) fprintf(stderr, "%s:%.0f:%.0f: ", path, cli_number(node, "line"), cli_number(node, "column"));
    else fprintf(stderr, "%s/%s: ", folder, name);
    json_decref(all);
    free(path);
}

int record_fault(const char *folder, const char *name, const struct record_place *place, const char *format, ...)
{
    va_list list;
    place_print(folder, name, place);
    for (int i = 0; i < place->depth; i++) {
        if (place->key[i]) fprintf(stderr, "%s%s", i ? "." : "", place->key[i]);
        else fprintf(stderr, "[%zu]", place->index[i]);
    }
    fputs(place->depth ? " " : "", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return cli_exit_code(BW_ERR_PRESET);
}
