// SPDX-License-Identifier: Apache-2.0
/* The batch script for Slurm: #SBATCH directives, then a command that can be typed as well. The shell execs the
 * program, which then gets Slurm's signals alone and once. The ranks of one bake are started by srun, which kills them
 * when it gets SIGTERM itself; so Slurm signals the ranks, and the shell ignores the signal and waits. */
#include "farm.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- quoting and paths ---- */

/* Longest-prefix match against the site file's paths. */
static char *path_map(const json_t *site, const char *path)
{
    const char *from, *best = NULL, *to = NULL;
    json_t *one;
    json_object_foreach (json_object_get(site, "paths"), from, one) {
        const size_t n = strlen(from);
        if (strncmp(path, from, n) || (path[n] && path[n] != '/') || (best && strlen(best) >= n)) continue;
        best = from;
        to = json_string_value(one);
    }
    return best ? cli_printf("%s%s", to, path + strlen(best)) : strdup(path);
}

char *farm_quote(const json_t *site, const char *text)
{
    char *mapped = *text == '/' ? path_map(site, text) : strdup(text);
    char *out = mapped ? cli_quote(mapped) : NULL;
    free(mapped);
    return out;
}

char *farm_absolute(const char *path) { return realpath(path, NULL); }

/* ---- resources ---- */

/* Cores that a box of so many cells keeps busy. */
static int cores_estimate(double cells)
{
    return cells > 8e6 ? 16 : cells > 2e6 ? 8 : cells > 3e5 ? 4 : cells > 3e4 ? 2 : 1;
}

/* Minutes. Measured: 0.16 µs of a core a cell of the full box and a frame, of a plume that fills half of it; ten times
 * that leaves room for obstacles, fire and slower machines. Who needs longer goes on from a checkpoint. */
static double minutes_estimate(const struct farm_task *t, double cores)
{
    return fmax(10, ceil(1.6e-6 * t->cells * t->frames / cores / 60));
}

/* MiB of a process: full boxes, a quarter more for snapshots that wait to be written, and the program with its
 * libraries. Of several each holds its share and what is beside it, a third of the whole on four (docs/scaling.md). */
static double megabytes_estimate(const struct farm_task *t)
{
    const double share = t->ranks > 1 && !t->whole ? 1.4 / t->ranks : 1;
    return ceil(1.25 * t->memory * fmin(share, 1) / 1048576) + 512;
}

static void memory_print(FILE *f, const json_t *ask, const struct farm_task *t, double cores)
{
    if (*cli_text(ask, "memory")) fprintf(f, "#SBATCH --mem=%s\n", cli_text(ask, "memory"));
    else if (t->ranks > 1) fprintf(f, "#SBATCH --mem-per-cpu=%.0fM\n", ceil(megabytes_estimate(t) / cores));
    else fprintf(f, "#SBATCH --mem=%.0fM\n", megabytes_estimate(t));
}

void farm_resources_print(FILE *f, const json_t *site, const struct farm_task *t)
{
    static const char *const as_they_are[] = {"partition", "account", "qos", "reservation", "constraint", "nice"};
    const json_t *ask = json_object_get(site, "ask"), *more = json_object_get(ask, "options"), *one;
    const int ranks = t->ranks > 1 ? t->ranks : 1;
    const double cores =
        *cli_text(ask, "cores") ? strtod(cli_text(ask, "cores"), NULL) : cores_estimate(t->cells / ranks);
    size_t i;
    if (ranks > 1) fprintf(f, "#SBATCH --ntasks=%d\n", ranks);
    fprintf(f, "#SBATCH --cpus-per-task=%.0f\n", cores);
    memory_print(f, ask, t, cores);
    if (*cli_text(ask, "time")) fprintf(f, "#SBATCH --time=%s\n", cli_text(ask, "time"));
    else fprintf(f, "#SBATCH --time=%.0f\n", minutes_estimate(t, cores * ranks));
    for (i = 0; i < sizeof as_they_are / sizeof *as_they_are; i++)
        if (*cli_text(ask, as_they_are[i]))
            fprintf(f, "#SBATCH --%s=%s\n", as_they_are[i], cli_text(ask, as_they_are[i]));
    if (json_is_string(more)) fprintf(f, "#SBATCH %s\n", json_string_value(more));
    json_array_foreach (more, i, one) fprintf(f, "#SBATCH %s\n", json_string_value(one));
}

/* A path in a line of #SBATCH: quotes round it, and % is Slurm's own unless it stands there twice. */
static void path_print(FILE *f, const json_t *site, const char *option, const char *folder, const char *name)
{
    char *mapped = path_map(site, folder);
    fprintf(f, "#SBATCH --%s=\"", option);
    for (const char *s = mapped; s && *s; s++) {
        if (*s == '%' && name) fputc('%', f);
        if (*s == '"' || *s == '\\') fputc('\\', f);
        fputc(*s, f);
    }
    fprintf(f, "%s%s\"\n", name ? "/" : "", name ? name : "");
    free(mapped);
}

static void modules_print(FILE *f, const json_t *site)
{
    const json_t *modules = json_object_get(site, "modules"), *one;
    size_t i;
    if (json_is_string(modules)) fprintf(f, "module load %s\n", json_string_value(modules));
    json_array_foreach (modules, i, one) fprintf(f, "module load %s\n", json_string_value(one));
    if (*cli_text(site, "setup")) fprintf(f, "%s\n", cli_text(site, "setup"));
}

static char *program_path(const json_t *site)
{
    char path[PATH_MAX];
    if (*cli_text(site, "billow")) return strdup(cli_text(site, "billow"));
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return farm_quote(site, n > 0 ? path : "billow");
}

/* 0: out of memory. */
static int script_print(FILE *f, const json_t *site, const struct farm_task *t, const char *out)
{
    const json_t *ask = json_object_get(site, "ask");
    char *program = program_path(site), *here = getcwd(NULL, 0);
    char *name = cli_name(t->name);
    fprintf(f, "#!/bin/bash\n# %s, for Slurm. To ask for something else, edit this and submit it by hand: sbatch %s\n",
            name ? name : "billow", t->script);
    for (char *s = name; s && *s; s++)
        if (strchr(" \t\"\\%/", *s)) *s = '_';
    fprintf(f, "#SBATCH --job-name=%s\n", name ? name : "billow");
    free(name);
    if (t->array)
        fprintf(f, "#SBATCH --array=%s%s%s\n", t->array, *cli_text(ask, "at_once") ? "%" : "",
                cli_text(ask, "at_once"));
    if (t->after) fprintf(f, "#SBATCH --dependency=afterany:%s\n", t->after);
    farm_resources_print(f, site, t);
    path_print(f, site, "chdir", here ? here : "/", NULL);
    path_print(f, site, "output", out, t->log);
    fprintf(f,
            "#SBATCH --open-mode=append\n#SBATCH --requeue\n"
            "# Two minutes before its time is over: it keeps a checkpoint, and goes on from that in its next run.\n"
            "#SBATCH --signal=%sTERM@120\n\n",
            t->ranks > 1 ? "" : "B:");
    modules_print(f, site);
    const char *container = cli_text(site, "container");
    char *line = cli_printf("%s%s%s %s", container, *container ? " " : "", program ? program : "billow", t->command);
    // srun does not inherit the cores per task of sbatch
    if (line && t->ranks > 1)
        fprintf(f,
                "trap : TERM # Slurm tells the processes, too\n"
                "srun --mpi=pmix --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" %s\n",
                line);
    else if (line) fprintf(f, "exec %s\n", line);
    const int good = line != NULL;
    free(line);
    free(program);
    free(here);
    return good;
}

int farm_script_write(const json_t *site, const struct farm_task *t)
{
    char *text = NULL, *here = getcwd(NULL, 0), *out = farm_absolute(t->out),
         *path = cli_printf("%s/farm/%s", t->out, t->script);
    size_t size;
    FILE *f = out && path ? open_memstream(&text, &size) : NULL;
    int code = 7;
    if (f) {
        const int good = script_print(f, site, t, out);
        if (fclose(f) || !good) code = 7;
        else if (cli_has_control(out) || (here && cli_has_control(here)))
            code =
                cli_usage("%s: Slurm takes no path with a control character in it", cli_has_control(out) ? out : here);
        else code = cli_write_file(path, text);
    }
    free(text);
    free(here);
    free(out);
    free(path);
    return code;
}
