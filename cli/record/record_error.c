// SPDX-License-Identifier: Apache-2.0
/* Errors in records with line and column: JSON is YAML, so the reader of presets finds the place. */
#include "record.h"

#include <stdarg.h>
#include <stdlib.h>

static const json_t *node_find(const json_t *node, const struct record_place *place)
{
    for (int i = 0; i < place->depth; i++) {
        const json_t *below = place->key[i] ? json_object_get(json_object_get(node, "map"), place->key[i])
                                            : json_array_get(json_object_get(node, "list"), place->index[i]);
        if (!below) break; // a missing entry is reported at its parent
        node = below;
    }
    return node;
}

int record_error_at(const char *folder, const char *name, int line, int column, const char *what)
{
    char *path = cli_printf("%s/%s", folder, name),
         *sentence = line > 0 ? cli_printf("%s:%d:%d: %s", path, line, column, what) : cli_printf("%s: %s", path, what);
    const struct bw_error e = {
        .sentence = sentence ? sentence : "", .file = path, .line = line, .column = column, .count = 1};
    cli_print_line(stderr, "%s", e.sentence);
    cli_json_error(&e, cli_exit_code(BW_ERR_PRESET));
    free(sentence);
    free(path);
    return cli_exit_code(BW_ERR_PRESET);
}

int record_error(const struct record_place *place, const char *format, ...)
{
    char *text = NULL, *path = cli_printf("%s/%s", place->folder, place->name);
    size_t size;
    va_list list;
    json_t *all = path ? cli_json(bw_yaml_read(path)) : NULL;
    const json_t *node = all ? node_find(all, place) : NULL;
    FILE *f = open_memstream(&text, &size);
    for (int i = 0; f && i < place->depth; i++) {
        if (place->key[i]) fprintf(f, "%s%s", i ? "." : "", place->key[i]);
        else fprintf(f, "[%zu]", place->index[i]);
    }
    if (f && place->depth) fputc(' ', f);
    va_start(list, format);
    if (f) vfprintf(f, format, list);
    va_end(list);
    if (f) fclose(f);
    record_error_at(place->folder, place->name, (int)cli_number(node, "line"), (int)cli_number(node, "column"),
                    text ? text : "");
    json_decref(all);
    free(path);
    free(text);
    return cli_exit_code(BW_ERR_PRESET);
}
