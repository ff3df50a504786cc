// SPDX-License-Identifier: Apache-2.0
/* Vortons from a table: CSV with a head line of names, or PLY (ASCII or little-endian) whose first element is `vertex`. Columns are
 * found by name: x y z, strength_x strength_y strength_z, radius, volume, density,
 * temperature; others are skipped. */
#include "emit.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    COLUMN_X,
    COLUMN_STRENGTH = 3,
    COLUMN_RADIUS = 6,
    COLUMN_VOLUME,
    COLUMN_DENSITY,
    COLUMN_TEMPERATURE,
    COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = {"x",          "y",      "z",      "strength_x", "strength_y",
                                                      "strength_z", "radius", "volume", "density",    "temperature"};
enum { MOST_COLUMNS = 64 };

struct table {
    struct bw_stage *s;
    const char *path;
    FILE *file;
    int64_t rows, line;
    int columns, meaning[MOST_COLUMNS]; ///< enum column, or -1
    int bytes[MOST_COLUMNS];            ///< binary: 1, 2, 4, 8; negative: floating point
    int ply, binary;
};

static enum bw_status table_fail(struct table *t, const char *what)
{
    return t->s->host->fail(t->s, BW_ERR_IO, "%s:%lld: %s", t->path, (long long)t->line, what);
}

static int column_find(const char *name)
{
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (!strcmp(name, column_name[c])) return c;
    return -1;
}

static int type_bytes(const char *type)
{
    static const char *const names[] = {"char", "uchar", "int8",  "uint8",  "short", "ushort",  "int16",  "uint16",
                                        "int",  "uint",  "int32", "uint32", "float", "float32", "double", "float64"};
    static const int bytes[] = {1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, -4, -4, -8, -8};
    for (size_t i = 0; i < BW_COUNT(names); i++)
        if (!strcmp(type, names[i])) return bytes[i];
    return 0;
}

static enum bw_status column_add(struct table *t, const char *name, int bytes)
{
    if (t->columns == MOST_COLUMNS) return table_fail(t, "more than 64 columns");
    t->bytes[t->columns] = bytes;
    t->meaning[t->columns++] = column_find(name);
    return BW_OK;
}

static enum bw_status ply_head(struct table *t, char *line, size_t size)
{
    int vertex = 0, others = 0;
    while (t->line++, fgets(line, (int)size, t->file)) {
        char word[4][64] = {{0}};
        int n = sscanf(line, "%63s %63s %63s %63s", word[0], word[1], word[2], word[3]);
        if (n > 0 && !strcmp(word[0], "end_header")) return t->columns ? BW_OK : table_fail(t, "no vertex properties");
        if (n > 1 && !strcmp(word[0], "format")) {
            t->binary = !strcmp(word[1], "binary_little_endian");
            if (!t->binary && strcmp(word[1], "ascii")) return table_fail(t, "neither ascii nor binary_little_endian");
        }
        if (n > 2 && !strcmp(word[0], "element")) {
            vertex = !strcmp(word[1], "vertex");
            if (vertex && others) return table_fail(t, "the first element must be vertex");
            if (vertex) t->rows = strtoll(word[2], NULL, 10);
            others = 1;
        }
        if (n < 3 || strcmp(word[0], "property") || !vertex) continue;
        int bytes = type_bytes(word[1]);
        if (!bytes) return table_fail(t, "a property that is no number");
        enum bw_status st = column_add(t, word[2], bytes);
        if (st) return st;
    }
    return table_fail(t, "the header does not end");
}

static enum bw_status csv_head(struct table *t, char *line)
{
    for (char *rest = line, *name; (name = strsep(&rest, ",;\t\n\r"));) {
        name += strspn(name, " \"");
        name[strcspn(name, " \"")] = 0;
        enum bw_status st = *name || rest ? column_add(t, name, 0) : BW_OK;
        if (st) return st;
    }
    long begin = ftell(t->file);
    while (fgets(line, 4096, t->file)) t->rows += line[strspn(line, " \r\n")] != 0 && *line != '#';
    fseek(t->file, begin, SEEK_SET);
    return BW_OK;
}

static enum bw_status row_text(struct table *t, char *line, size_t size, double *value)
{
    do {
        t->line++;
        if (!fgets(line, (int)size, t->file)) return table_fail(t, "the file ends early");
    } while (!line[strspn(line, " \r\n")] || *line == '#');
    char *at = line;
    for (int c = 0; c < t->columns; c++) {
        char *end;
        value[c] = strtod(at, &end);
        if (end == at) return table_fail(t, "a number is missing");
        at = end + strspn(end, " ,;\t");
    }
    return BW_OK;
}

static enum bw_status row_binary(struct table *t, double *value)
{
    for (int c = 0; c < t->columns; c++) {
        unsigned char raw[8] = {0};
        float f;
        if (fread(raw, (size_t)abs(t->bytes[c]), 1, t->file) != 1) return table_fail(t, "the file ends early");
        memcpy(&f, raw, sizeof f);
        memcpy(&value[c], raw, sizeof value[c]);
        if (t->bytes[c] == -4) value[c] = (double)f;
        if (t->bytes[c] > 0) value[c] = 0; // whole numbers mean nothing here
    }
    return BW_OK;
}

static enum bw_status rows_read(struct table *t, const struct emit_params *p, char *line, size_t size,
                                struct brood *out)
{
    int have = 0;
    for (int c = 0; c < t->columns; c++)
        if (t->meaning[c] >= 0) have |= 1 << t->meaning[c];
    if ((have & 63) != 63) return table_fail(t, "x, y, z, strength_x, strength_y and strength_z are wanted");
    if (t->rows <= 0) return table_fail(t, "no vortons");
    out->item = t->s->host->scratch(t->s, (size_t)t->rows * sizeof *out->item);
    if (!out->item || t->rows > (int64_t)1 << 36) return table_fail(t, "more vortons than memory");
    out->count = t->rows;
    for (int64_t i = 0; i < t->rows; i++) {
        double value[MOST_COLUMNS], field[COLUMN_COUNT] = {0};
        enum bw_status st = t->binary ? row_binary(t, value) : row_text(t, line, size, value);
        if (st) return st;
        for (int c = 0; c < t->columns; c++)
            if (t->meaning[c] >= 0) field[t->meaning[c]] = value[c];
        struct newborn *n = &out->item[i];
        memcpy(n->pos, field, sizeof n->pos);
        memcpy(n->strength, field + COLUMN_STRENGTH, sizeof n->strength);
        n->radius = have >> COLUMN_RADIUS & 1 ? field[COLUMN_RADIUS] : p->source.file.core;
        n->volume = have >> COLUMN_VOLUME & 1 ? field[COLUMN_VOLUME] : pow(n->radius, 3);
        n->density = have >> COLUMN_DENSITY & 1 ? field[COLUMN_DENSITY] : p->density;
        n->temperature = have >> COLUMN_TEMPERATURE & 1 ? field[COLUMN_TEMPERATURE] : p->temperature;
    }
    return BW_OK;
}

enum bw_status emit_file_read(struct bw_stage *s, const struct emit_params *p, struct brood *out)
{
    char line[4096];
    const char *path = p->source.file.file;
    struct table t = {.s = s, .path = path, .file = fopen(path, "rb"), .line = 1};
    if (!t.file) return s->host->fail(s, BW_ERR_IO, "%s: %s", path, strerror(errno));
    enum bw_status st = fgets(line, sizeof line, t.file) ? BW_OK : table_fail(&t, "the file is empty");
    t.ply = !st && !strncmp(line, "ply", 3);
    if (!st) st = t.ply ? ply_head(&t, line, sizeof line) : csv_head(&t, line);
    if (!st) st = rows_read(&t, p, line, sizeof line, out);
    fclose(t.file);
    return st;
}
