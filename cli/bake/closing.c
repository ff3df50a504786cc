// SPDX-License-Identifier: Apache-2.0
/* Before a bake: what it will cost, and whether that fits. After it: what to open and what to type. */
#include "bake.h"

#include "base/alloc.h"
#include "grid/grid.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- the machine ---- */

double machine_memory(void)
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), limit;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (f && fscanf(f, "%lf", &limit) == 1 && limit > 0 && limit < bytes) bytes = limit;
    if (f) fclose(f);
    return bytes;
}

double disk_free(const char *path)
{
    struct statvfs st;
    char *folder = *path == '/' ? bw_strdup(path) : bw_printf("./%s", path);
    int good = 0;
    while (folder && !(good = statvfs(folder, &st) == 0)) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder) break;
        *slash = '\0';
    }
    bw_free(folder);
    return good ? (double)st.f_bavail * (double)st.f_frsize : NAN;
}

/* ---- estimates ---- */

static double box_cells(const struct bw_domain_info *d) { return (double)d->n[0] * d->n[1] * d->n[2]; }

static double preset_cells(const struct bw_preset *p)
{
    double cells = 0;
    for (int32_t i = 0; i < p->n_domains; i++) cells += box_cells(&p->domain[i].info);
    return cells;
}

/* A frame of one VDB export with every cell of the box filled, 16 bits a value and nothing compressed away. */
static double export_bytes(const struct bw_chain *c, const struct bw_preset *p, const struct bw_preset_export *e)
{
    const struct bw_node *fields = bw_node_get(e->node, "fields");
    double values = 0, cells = box_cells(&p->domain[0].info);
    for (int32_t i = 0; i < p->n_domains; i++) {
        if (e->domain && !strcmp(e->domain, p->domain[i].name)) cells = box_cells(&p->domain[i].info);
    }
    for (int32_t i = 0; fields && fields->type == BW_NODE_SEQ && i < fields->count; i++) {
        const char *name = fields->child[i]->text;
        const struct bw_field *f = name ? bw_chain_field(c, name) : NULL;
        values += f ? f->info.comps : 1;
    }
    return cells * 2 * (values > 0 ? values : 4);
}

static double frame_bytes(const struct bw_chain *c, const struct bw_preset *p)
{
    double bytes = 0;
    for (int32_t i = 0; i < p->n_exports; i++) {
        if (p->export[i].enabled && !strcmp(p->export[i].type, "vdb")) bytes += export_bytes(c, p, &p->export[i]);
    }
    return bytes;
}

static double memory_allowed(const struct bw_preset *p)
{
    double machine = machine_memory();
    return p->memory_limit > 0 && p->memory_limit < machine ? p->memory_limit : machine;
}

void estimate_print(const struct bw_chain *c, const struct bw_preset *p, const char *out)
{
    char *wiring = bw_chain_describe(c), text[4][24];
    const struct bw_preset_time *t = &p->time;
    double frames = (double)(t->write_last - t->write_first + 1), disk = frames * frame_bytes(c, p);
    if (wiring) fputs(wiring, stdout);
    bw_free(wiring);
    printf("frames:  %lld-%lld at %g a second, %lld before them that are not written\n", (long long)t->write_first,
           (long long)t->write_last, t->fps, (long long)(t->write_first - t->first + t->warmup));
    printf("cells:   %s in a full box\n", cli_count(preset_cells(p), text[0]));
    printf("memory:  at most %s of %s; what is empty costs nothing\n", cli_bytes(bw_chain_memory_estimate(c), text[0]),
           cli_bytes(memory_allowed(p), text[1]));
    printf("disk:    at most %s of VDB files, usually a tenth of that; %s free\n", cli_bytes(disk, text[2]),
           cli_bytes(disk_free(out), text[3]));
    printf("output:  %s\n", out);
}

/* Two digits, rounded up: 0.0231 → 0.024. */
static double round_up(double x)
{
    double unit = pow(10, floor(log10(x)) - 1);
    return ceil(x / unit - 1e-9) * unit;
}

enum bw_status estimate_check(const struct bw_chain *c, const struct bw_preset *p, struct bw_diag *d)
{
    char need[24], have[24];
    double bytes = bw_chain_memory_estimate(c), allowed = memory_allowed(p);
    const struct bw_preset_domain *domain = &p->domain[0];
    if (!(bytes > allowed)) return BW_OK;
    for (int32_t i = 1; i < p->n_domains; i++) {
        if (box_cells(&p->domain[i].info) > box_cells(&domain->info)) domain = &p->domain[i];
    }
    double power = domain->info.thin >= 0 ? 2 : 3, voxel = round_up(domain->info.h * pow(bytes / allowed, 1 / power));
    return bw_diag_error(
        d, &domain->place, BW_ERR_LIMIT,
        "domain \"%s\" needs up to %s when it is full, %s is %s; voxel: %.3g m would fit (--force starts "
        "all the same and stops at the limit)",
        domain->name, cli_bytes(bytes, need), p->memory_limit > 0 ? "the limit" : "this machine's memory",
        cli_bytes(allowed, have), voxel);
}

/* ---- the last lines ---- */

static const char *command_name(void)
{
    const char *name = getenv("BILLOW_COMMAND");
    return name && *name ? name : "billow";
}

void closing_print(const struct bake_progress *p, const struct bake_facts *f)
{
    const char *movie = progress_output(p, "movie"), *picture = progress_output(p, "picture"),
               *cache = progress_output(p, "cache");
    if (movie || picture || cache) fputs("next:\n", stderr);
    if (movie) fprintf(stderr, "  xdg-open %s\n", movie);
    if (picture) fprintf(stderr, "  xdg-open %s\n", picture);
    if (cache) {
        const char *slash = strrchr(cache, '/');
        fprintf(stderr, "  %s info %s\n", command_name(), cache);
        fprintf(stderr, "  %s preview %s\n", command_name(), cache);
        fprintf(stderr, "  %s blender %.*s --open\n", command_name(), slash ? (int)(slash - cache) : 1,
                slash ? cache : ".");
        fprintf(stderr, "  Houdini: a File node on %.*s/%s_$F4.vdb\n", slash ? (int)(slash - cache) : 1,
                slash ? cache : ".", f->name);
    }
}
