// SPDX-License-Identifier: Apache-2.0
#include "cell_list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int64_t cube[3], point;
};

static int cube_order(const int64_t *a, const int64_t *b)
{
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int entry_order(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    int o = cube_order(a->cube, b->cube);
    return o ? o : (a->point > b->point) - (a->point < b->point);
}

static void cube_of(double edge, const double x[3], int64_t cube[3])
{
    for (int a = 0; a < 3; a++) cube[a] = (int64_t)floor(fmin(fmax(x[a] / edge, -1e15), 1e15));
}

enum bw_status cell_list_make(struct bw_stage *s, struct cell_list *b, int64_t count, const bw_vec3 *pos, double edge)
{
    size_t n = (size_t)count;
    struct entry *e = s->host->scratch(s, n * sizeof *e + 1);
    *b = (struct cell_list){.edge = edge, .count = count};
    b->cube = s->host->scratch(s, n * sizeof *b->cube + 1);
    b->begin = s->host->scratch(s, (n + 1) * sizeof *b->begin);
    b->order = s->host->scratch(s, n * sizeof *b->order + 1);
    if (!e || !b->cube || !b->begin || !b->order) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        cube_of(edge, pos[i], e[i].cube);
        e[i].point = i;
    }
    qsort(e, n, sizeof *e, entry_order);
    for (int64_t i = 0; i < count; i++) {
        b->order[i] = e[i].point;
        if (i && !cube_order(e[i].cube, e[i - 1].cube)) continue;
        memcpy(b->cube[b->cubes], e[i].cube, sizeof e[i].cube);
        b->begin[b->cubes++] = i;
    }
    b->begin[b->cubes] = count;
    return BW_OK;
}

/// First cube not before c.
static int64_t cube_find(const struct cell_list *b, const int64_t c[3])
{
    int64_t lo = 0, hi = b->cubes;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (cube_order(b->cube[mid], c) < 0) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

int cell_list_near(const struct cell_list *b, const double x[3], int reach, int64_t run[25][2])
{
    int64_t home[3];
    int n = 0;
    cube_of(b->edge, x, home);
    for (int dz = -reach; dz <= reach; dz++)
        for (int dy = -reach; dy <= reach; dy++) {
            const int64_t from[3] = {home[0] - reach, home[1] + dy, home[2] + dz},
                          to[3] = {home[0] + reach + 1, home[1] + dy, home[2] + dz};
            int64_t first = b->begin[cube_find(b, from)], end = b->begin[cube_find(b, to)];
            if (first == end) continue;
            run[n][0] = first;
            run[n++][1] = end;
        }
    return n;
}
