// SPDX-License-Identifier: Apache-2.0
/* wedge.csv: a row per member with its values, exit status, and each metric's last and largest value. */
#include "wedge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 500, LINE_MOST = 16384 };

/* ---- a metrics.csv ---- */

static int heading_read(struct metrics *m, char *line)
{
    m->name = calloc(COLUMNS_MOST, sizeof *m->name);
    for (char *rest = line, *word; m->name && (word = strsep(&rest, ",\n")) && m->columns < COLUMNS_MOST;)
        if (*word) m->name[m->columns++] = strdup(word);
    return m->columns > 0;
}

static int row_read(struct metrics *m, char *line)
{
    double *grown = realloc(m->value, (size_t)(m->rows + 1) * (size_t)m->columns * sizeof *grown);
    if (!grown) return 0;
    m->value = grown;
    double *row = grown + (size_t)m->rows++ * (size_t)m->columns;
    for (int c = 0; c < m->columns; c++) {
        char *word = line ? strsep(&line, ",\n") : NULL, *end = word;
        row[c] = word ? strtod(word, &end) : NAN;
        if (end == word) row[c] = NAN;
    }
    return 1;
}

int metrics_read(const char *out, const json_t *member, struct metrics *m)
{
    static const struct metrics none;
    char *line = malloc(LINE_MOST), *name = cli_printf("%s/metrics.csv", cli_text(member, "folder"));
    FILE *f = line && name ? record_open_text(out, name, TABLE_MOST) : NULL;
    *m = none;
    int good = f && fgets(line, LINE_MOST, f) && heading_read(m, line);
    while (good && fgets(line, LINE_MOST, f)) good = row_read(m, line);
    if (f) fclose(f);
    free(name);
    free(line);
    if (!good) metrics_free(m);
    return good;
}

void metrics_free(struct metrics *m)
{
    for (int i = 0; i < m->columns; i++) free(m->name[i]);
    free(m->name);
    free(m->value);
    *m = (struct metrics){0};
}

int metrics_column(const struct metrics *m, const char *name)
{
    for (int i = 0; i < m->columns; i++)
        if (!strcmp(m->name[i], name)) return i;
    return -1;
}

/* ---- the table ---- */

static void field_print(FILE *f, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++) fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', f);
}

/* Names of all members' columns, in the order in which they come. */
static json_t *names_collect(const struct metrics *all, size_t count)
{
    json_t *names = json_object();
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < all[i].columns; c++)
            if (strcmp(all[i].name[c], "frame") && strcmp(all[i].name[c], "time"))
                json_object_set_new(names, all[i].name[c], json_null());
    return names;
}

static void number_print(FILE *f, double x)
{
    if (isfinite(x)) fprintf(f, ",%.9g", x);
    else fputc(',', f);
}

static void metric_print(FILE *f, const struct metrics *m, const char *name)
{
    const int c = metrics_column(m, name);
    double most = NAN, last = NAN;
    for (int r = 0; c >= 0 && r < m->rows; r++) {
        last = m->value[(size_t)r * (size_t)m->columns + (size_t)c];
        most = fmax(most, last);
    }
    number_print(f, last);
    number_print(f, most);
}

static void heading_print(FILE *f, const json_t *plan, json_t *names)
{
    const json_t *key;
    json_t *value;
    const char *name;
    size_t i;
    fputs("member", f);
    json_array_foreach (json_object_get(plan, "keys"), i, key) {
        fputc(',', f);
        field_print(f, json_string_value(key));
    }
    fputs(",state,code,seconds,frames", f);
    json_object_foreach (names, name, value) fprintf(f, ",%s,%s.max", name, name);
    fputc('\n', f);
}

static void row_print(FILE *f, const char *out, const json_t *plan, const json_t *member, const struct metrics *m,
                      json_t *names)
{
    const json_t *key, *values = json_object_get(member, "values");
    json_t *value, *end = member_exit_read(out, member);
    const char *name;
    size_t i;
    fprintf(f, "%.0f", cli_number(member, "number"));
    json_array_foreach (json_object_get(plan, "keys"), i, key) {
        fputc(',', f);
        field_print(f, cli_text(values, json_string_value(key)));
    }
    fprintf(f, ",%s,", member_state(out, member, NULL));
    if (end) fprintf(f, "%.0f,%.3f", cli_number(end, "code"), cli_number(end, "seconds"));
    else fputc(',', f);
    fprintf(f, ",%d", m->rows);
    json_object_foreach (names, name, value) metric_print(f, m, name);
    fputc('\n', f);
    json_decref(end);
}

int table_write(const char *out, const json_t *plan)
{
    const json_t *members = json_object_get(plan, "members");
    const size_t count = json_array_size(members);
    struct metrics *all = calloc(count, sizeof *all);
    char *text = NULL, *path = cli_printf("%s/wedge.csv", out);
    size_t size;
    FILE *f = all && path ? open_memstream(&text, &size) : NULL;
    if (!f) return free(all), free(path), 7;
    for (size_t i = 0; i < count; i++) metrics_read(out, json_array_get(members, i), &all[i]);
    json_t *names = names_collect(all, count);
    heading_print(f, plan, names);
    for (size_t i = 0; i < count; i++) row_print(f, out, plan, json_array_get(members, i), &all[i], names);
    fclose(f);
    const int code = cli_write_file(path, text);
    for (size_t i = 0; i < count; i++) metrics_free(&all[i]);
    json_decref(names);
    free(text);
    free(all);
    free(path);
    return code;
}
