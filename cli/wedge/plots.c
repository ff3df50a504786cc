// SPDX-License-Identifier: Apache-2.0
/* wedge.svg: a plot per metric over frames, a line per member. Metrics that are equal in all members are left out. */
#include "wedge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3, WIDTH = 340, HEIGHT = 190, LEFT = 74, TOP = 26, BOTTOM = 24, RIGHT = 12, PLOTS_MOST = 60 };

struct plots {
    const json_t *plan, *members;
    struct metrics *all;
    size_t count;
    FILE *f;
};

struct range {
    double lo, hi;
};

static void range_extend(struct range *r, double x)
{
    if (!isfinite(x)) return;
    r->lo = fmin(r->lo, x);
    r->hi = fmax(r->hi, x);
}

static double value_at(const struct metrics *m, int row, int column)
{
    return column < 0 ? NAN : m->value[(size_t)row * (size_t)m->columns + (size_t)column];
}

/* The one with the most rows that has the column, or NULL: the others are held against it. */
static const struct metrics *longest_of(const struct plots *p, const char *name)
{
    const struct metrics *longest = NULL;
    for (size_t i = 0; i < p->count; i++)
        if (metrics_column(&p->all[i], name) >= 0 && (!longest || p->all[i].rows > longest->rows)) longest = &p->all[i];
    return longest;
}

/* Its range over all members; 0: as far as they have come it is the same in all of them. */
static int metric_differs(const struct plots *p, const char *name, struct range *frames, struct range *values)
{
    const struct metrics *longest = longest_of(p, name);
    int differs = 0;
    *frames = *values = (struct range){INFINITY, -INFINITY};
    for (size_t i = 0; longest && i < p->count; i++) {
        const struct metrics *m = &p->all[i];
        const int c = metrics_column(m, name), at = metrics_column(m, "frame"), c0 = metrics_column(longest, name);
        for (int r = 0; c >= 0 && at >= 0 && r < m->rows; r++) {
            const double x = value_at(m, r, c);
            range_extend(frames, value_at(m, r, at));
            range_extend(values, x);
            differs |= isfinite(x) && x != value_at(longest, r, c0);
        }
    }
    return differs && values->lo < values->hi;
}

/* Colours of equal lightness round the circle; members of a row of the sheet lie side by side. */
static void colour_print(const struct plots *p, size_t i)
{
    fprintf(p->f, "hsl(%.0f,70%%,%d%%)", 360.0 * (double)i / (double)p->count, i % 2 ? 38 : 50);
}

static void line_print(const struct plots *p, size_t i, const char *name, struct range x, struct range y)
{
    const struct metrics *m = &p->all[i];
    const int c = metrics_column(m, name), at = metrics_column(m, "frame");
    const double w = WIDTH - LEFT - RIGHT, h = HEIGHT - TOP - BOTTOM;
    if (c < 0 || at < 0) return;
    fputs("<polyline fill=\"none\" stroke-width=\"1.3\" stroke=\"", p->f);
    colour_print(p, i);
    fputs("\" points=\"", p->f);
    for (int r = 0; r < m->rows; r++) {
        const double v = value_at(m, r, c), f = value_at(m, r, at);
        if (isfinite(v) && isfinite(f))
            fprintf(p->f, "%.1f,%.1f ", LEFT + (x.hi > x.lo ? (f - x.lo) / (x.hi - x.lo) : 0.5) * w,
                    TOP + (1 - (v - y.lo) / (y.hi - y.lo)) * h);
    }
    fprintf(p->f, "\"><title>%zu</title></polyline>\n", i + 1);
}

static void text_print(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '<') fputs("&lt;", f);
        else if (*text == '&') fputs("&amp;", f);
        else fputc(*text, f);
    }
}

static void frame_print(const struct plots *p, const char *name, struct range x, struct range y)
{
    const int bottom = HEIGHT - BOTTOM;
    fprintf(p->f, "<text x=\"%d\" y=\"16\" font-weight=\"bold\">", LEFT);
    text_print(p->f, name);
    fprintf(p->f, "</text><path d=\"M%d,%d V%d H%d\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP, bottom,
            WIDTH - RIGHT);
    fprintf(p->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>", LEFT - 4, TOP + 8, y.hi);
    fprintf(p->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>", LEFT - 4, bottom, y.lo);
    fprintf(p->f, "<text x=\"%d\" y=\"%d\">%.0f</text>", LEFT, HEIGHT - 8, x.lo);
    fprintf(p->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>\n", WIDTH - RIGHT, HEIGHT - 8, x.hi);
}

static void legend_print(const struct plots *p, int top)
{
    for (size_t i = 0; i < p->count; i++) {
        const int x = 10 + (int)(i % COLUMNS) * WIDTH, y = top + 16 * (int)(i / COLUMNS);
        char *words = member_label(p->plan, json_array_get(p->members, i), " ");
        fprintf(p->f, "<rect x=\"%d\" y=\"%d\" width=\"18\" height=\"4\" fill=\"", x, y - 6);
        colour_print(p, i);
        fprintf(p->f, "\"/><text x=\"%d\" y=\"%d\">%zu  ", x + 24, y, i + 1);
        text_print(p->f, words ? words : "");
        fputs("</text>\n", p->f);
        free(words);
    }
}

/* Names of the columns, in the order in which they come. */
static json_t *differing_metrics(const struct plots *p)
{
    json_t *names = json_object();
    struct range x, y;
    for (size_t i = 0; i < p->count; i++)
        for (int c = 0; c < p->all[i].columns; c++) {
            const char *name = p->all[i].name[c];
            if (!strcmp(name, "frame") || !strcmp(name, "time") || json_object_size(names) == PLOTS_MOST) continue;
            if (!json_object_get(names, name) && metric_differs(p, name, &x, &y))
                json_object_set_new(names, name, json_null());
        }
    return names;
}

static void all_print(const struct plots *p)
{
    json_t *names = differing_metrics(p), *value;
    const int rows = ((int)json_object_size(names) + COLUMNS - 1) / COLUMNS,
              legend = 16 * (((int)p->count + COLUMNS - 1) / COLUMNS);
    const char *name;
    int n = 0;
    fprintf(p->f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"11\"><rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            COLUMNS * WIDTH + 10, rows * HEIGHT + legend + 30);
    legend_print(p, 20);
    json_object_foreach (names, name, value) {
        struct range x, y;
        metric_differs(p, name, &x, &y);
        fprintf(p->f, "<g transform=\"translate(%d,%d)\">", n % COLUMNS * WIDTH, legend + 16 + n / COLUMNS * HEIGHT);
        frame_print(p, name, x, y);
        for (size_t i = 0; i < p->count; i++) line_print(p, i, name, x, y);
        fputs("</g>\n", p->f);
        n++;
    }
    fputs("</svg>\n", p->f);
    json_decref(names);
}

int plots_write(const char *out, const json_t *plan)
{
    struct plots p = {.plan = plan, .members = json_object_get(plan, "members")};
    char *text = NULL, *path = cli_printf("%s/wedge.svg", out);
    size_t size;
    p.count = json_array_size(p.members);
    p.all = calloc(p.count, sizeof *p.all);
    p.f = p.all && path ? open_memstream(&text, &size) : NULL;
    if (!p.f) return free(p.all), free(path), 7;
    for (size_t i = 0; i < p.count; i++) metrics_read(out, json_array_get(p.members, i), &p.all[i]);
    all_print(&p);
    fclose(p.f);
    const int code = cli_write_file(path, text);
    for (size_t i = 0; i < p.count; i++) metrics_free(&p.all[i]);
    free(text);
    free(p.all);
    free(path);
    return code;
}
