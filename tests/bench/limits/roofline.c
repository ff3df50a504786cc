// SPDX-License-Identifier: Apache-2.0
#include "roofline.h"
#include <math.h>
#include <stdio.h>

enum { WIDTH = 860, HEIGHT = 520, LEFT = 80, RIGHT = 20, TOP = 40, BOTTOM = 60 };
#define LEAST_DENSITY 0.05 ///< of the axes: operations a byte, and a second
#define MOST_DENSITY 64.0
#define LEAST_RATE 0.5e9
#define MOST_RATE 1e12

/* Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", CACM 52 (2009). */

static double at_x(double density)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(density / LEAST_DENSITY) / log(MOST_DENSITY / LEAST_DENSITY);
}

static double at_y(double rate)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * log(rate / LEAST_RATE) / log(MOST_RATE / LEAST_RATE);
}

static void axes_draw(FILE *f)
{
    for (double d = 0.0625; d < MOST_DENSITY * 1.01; d *= 4)
        fprintf(f, "<path d='M%.1f %d V%d' stroke='#ddd'/><text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n",
                at_x(d), TOP, HEIGHT - BOTTOM, at_x(d), HEIGHT - BOTTOM + 18, d);
    for (double r = 1e9; r < MOST_RATE * 1.01; r *= 10)
        fprintf(f, "<path d='M%d %.1f H%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT,
                at_y(r), WIDTH - RIGHT, LEFT - 8, at_y(r) + 4, r * 1e-9);
    fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>operations a byte</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 16);
    fprintf(f, "<text transform='translate(24 %d) rotate(-90)' text-anchor='middle'>10⁹ operations a second</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2);
}

/* The limit, and where memory hands over to arithmetic. */
static void roof_draw(FILE *f, const struct roofline *r)
{
    const double ridge = r->flops / r->bytes, low = r->bytes * LEAST_DENSITY;
    fprintf(f, "<path d='M%.1f %.1f L%.1f %.1f H%d' fill='none' stroke='#222' stroke-width='2'/>\n",
            at_x(LEAST_DENSITY), at_y(low), at_x(ridge), at_y(r->flops), WIDTH - RIGHT);
    fprintf(f, "<text x='%d' y='%.1f'>%.1f GB/s</text>\n", LEFT + 12, at_y(low) + 20, r->bytes * 1e-9);
    fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>%.0f·10⁹ operations a second</text>\n", WIDTH - RIGHT,
            at_y(r->flops) - 6, r->flops * 1e-9);
}

/* A line leads up from what a kernel reaches to what it could; names stand below the roof's flat end. */
static void point_draw(FILE *f, const struct roofline *r, int i)
{
    const struct roofline_point *p = &r->point[i];
    const double density = p->flops / p->bytes, rate = p->flops / p->seconds;
    const double limit = fmin(r->flops, r->bytes * density), x = at_x(density), y = at_y(rate);
    fprintf(f, "<path d='M%.1f %.1f V%.1f' stroke='#c60' stroke-dasharray='2 3'/>\n", x, y, at_y(limit));
    fprintf(f, "<circle cx='%.1f' cy='%.1f' r='9' fill='#c60'/>", x, y);
    fprintf(f, "<text x='%.1f' y='%.1f' fill='white' text-anchor='middle'>%d</text>", x, y + 4.5, i + 1);
    fprintf(f, "<text x='%d' y='%d'>%d  %s: %.0f %%</text>\n", WIDTH - 215, HEIGHT - BOTTOM - 18 * (r->n - i), i + 1,
            p->name, 100 * rate / limit);
}

int roofline_write(const struct roofline *r, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        return 0;
    }
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n",
            WIDTH, HEIGHT);
    fprintf(f, "<rect width='%d' height='%d' fill='white'/><text x='%d' y='24' font-size='15'>%s</text>\n", WIDTH,
            HEIGHT, LEFT, r->title);
    axes_draw(f);
    roof_draw(f, r);
    for (int i = 0; i < r->n; i++) point_draw(f, r, i);
    fputs("</svg>\n", f);
    return !fclose(f);
}
