// SPDX-License-Identifier: Apache-2.0
/* billow upres, billow retime, billow resim: a finished cache made finer, slower or faster, or its flow with other
 * smoke. All read the cache's statistics, and bake the presets `upres` and `retime` with them as --set arguments, or
 * the user's with a stage in place of mac.project. The result is a bake like any other. */
#include "cli.h"
#include "farm/farm.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGS_MAX = 300 };

/* Handed on to bake as they are. */
#define BAKE_OPTIONS                                                                                                   \
    {"set", "KEY=VALUE", "change a value of the preset, as in bake", 's'}, {"out", "DIR", "output folder", 'o'},       \
        {"force", NULL, "replace what the folder holds", 'F'}, {"new", NULL, "bake beside what is there", 'n'},        \
        {"mute", "ID", "leave out a stage or an exporter: mp4, for one", 'm'},                                         \
        {"dry-run", NULL, "only say what would run", 'd'}, {"threads", "N", "worker threads", 't'},                    \
        {"simd", "LEVEL", "baseline, avx2 or avx512", 'i'}, {"memory", "SIZE", "stop cleanly beyond SIZE", 'M'},       \
        {"json", NULL, "one JSON event a line on stdout", 'j'}, FARM_OPTIONS, FARM_TASKS, CLI_PATH_OPTIONS

/* A flow that is stored as vel.x, vel.y, vel.z is "vel". */
#define FLOW_OPTION                                                                                                    \
    {                                                                                                                  \
        "flow", "NAME", "the grid of velocities (default: vel, velocity or v)", 'w'                                    \
    }

static const struct cli_option upres_options[] = {
    {"factor", "2|4", "how many times finer (default 2)", 'x'},
    {"strength", "N", "the detail's velocity, times what the cache's own energy asks for (default 1)", 'g'},
    {"frames", "A-B", "write only these frames", 'f'},
    FLOW_OPTION,
    BAKE_OPTIONS,
};

static const struct cli_option retime_options[] = {
    {"speed", "N", "0.5: half as fast", 'v'},
    {"frames", "A-B", "play the whole cache in these frames", 'f'},
    {"hold", "F:N", "let frame F stand for N more frames", 'H'},
    {"reverse", NULL, "backwards", 'b'},
    FLOW_OPTION,
    BAKE_OPTIONS,
};

const struct cli_command command_upres = {
    .name = "upres",
    .synopsis = "CACHE [options]",
    .brief = "Add fine detail to a finished cache, without simulating again.",
    .details =
        "CACHE is a bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb,\n"
        "with a velocity grid. Goes into out/NAME_upres unless --out says otherwise.\n\n"
        "  billow upres out/plume --factor 4\n",
    .options = upres_options,
    .n_options = sizeof upres_options / sizeof *upres_options,
    .run = cmd_upres,
    .several = 1,
};

const struct cli_command command_retime = {
    .name = "retime",
    .synopsis = "CACHE [options]",
    .brief = "Play a finished cache slower, faster, held or backwards.",
    .details = "CACHE as for upres. Goes into out/NAME_retime unless --out says otherwise.\n\n"
               "  billow retime out/plume --speed 0.5\n"
               "  billow retime out/plume --hold 40:24\n"
               "  billow retime out/plume --set 'stages.retime.at={keys: {1: 1, 40: 60, 80: 20}, ease: smooth}'\n",
    .options = retime_options,
    .n_options = sizeof retime_options / sizeof *retime_options,
    .run = cmd_retime,
    .several = 1,
};

static const struct cli_option resim_options[] = {
    {"frames", "A-B", "write only these frames (default: the cache's)", 'f'},
    FLOW_OPTION,
    BAKE_OPTIONS,
};

const struct cli_command command_resim = {
    .name = "resim",
    .synopsis = "CACHE PRESET [options]",
    .brief = "Run a preset's sources, fire and tracers through the flow of a finished cache.",
    .details =
        "CACHE as for upres, with a velocity grid; PRESET a file or a name, with mac.project, which is left out:\n"
        "forces and pressure are in the flow already. Goes into out/PRESET_resim unless --out says otherwise.\n\n"
        "  billow resim out/plume two_dyes.yaml\n",
    .options = resim_options,
    .n_options = sizeof resim_options / sizeof *resim_options,
    .run = cmd_resim,
    .several = 1,
};

/// Arguments for `billow bake`.
struct arguments {
    char *arg[ARGS_MAX + 1];
    int n, full;
};

static void arguments_add(struct arguments *l, char *text)
{
    if (!text || l->n == ARGS_MAX) l->full = 1, free(text);
    else l->arg[l->n++] = text;
}

/* --set PATH=VALUE */
static void arguments_add_set(struct arguments *l, char *setting)
{
    arguments_add(l, strdup("--set"));
    arguments_add(l, setting);
}

static void option_forward(struct arguments *l, const struct cli_command *c, int code)
{
    const struct cli_option *o = cli_option_of(c, code);
    if (!o) return;
    arguments_add(l, cli_printf("--%s", o->name));
    if (o->argument) arguments_add(l, strdup(optarg));
}

/* Makes the bake of `preset` with the user's own settings last, so that they count. */
static int arguments_bake(const struct arguments *head, const struct arguments *tail)
{
    char *argv[2 * ARGS_MAX + 1];
    int argc = 0;
    for (int i = 0; i < head->n; i++) argv[argc++] = head->arg[i];
    for (int i = 0; i < tail->n; i++) argv[argc++] = tail->arg[i];
    argv[argc] = NULL;
    if (head->full || tail->full) return cli_usage("too many options, or out of memory");
    optind = 0; // getopt begins anew
    return cmd_bake(argc, argv);
}

static void arguments_free(struct arguments *l)
{
    for (int i = 0; i < l->n; i++) free(l->arg[i]);
}

/* ---- common arguments ---- */

/* Cells `factor` times as many; a box one cell thick stays so. */
static void cells_refine(json_t *cells, int factor)
{
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *old = json_array_get(cells, i);
        json_int_t n = json_is_string(old) ? strtoll(json_string_value(old), NULL, 10) : json_integer_value(old);
        if (n > 1) json_array_set_new(cells, i, json_integer(n * factor));
    }
}

/* The cache's domain with voxels `factor` times finer, on one line. */
static char *domain_text(const json_t *c, int factor)
{
    json_t *domain = json_deep_copy(json_object_get(c, "domain"));
    char *voxel = cli_printf("%.9g m", cli_number(c, "voxel") / factor);
    if (voxel) json_object_set_new(domain, "voxel", json_string(voxel));
    cells_refine(json_object_get(domain, "cells"), factor);
    char *text = json_dumps(domain, JSON_REAL_PRECISION(9));
    free(voxel);
    json_decref(domain);
    return text;
}

/* The flow keeps the name that it has in the files. */
static void flow_bind(struct arguments *l, const char *stage, const json_t *c)
{
    arguments_add_set(l, cli_printf("stages.%s.bind={vel: %s}", stage, cli_text(c, "flow")));
}

/* The new files get the metadata of the cache's. */
static void export_arguments(struct arguments *l, const json_t *c)
{
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(c, "export"), key, value) {
        if (json_is_string(value)) arguments_add_set(l, cli_printf("export.vdb.%s=%s", key, json_string_value(value)));
        else arguments_add_set(l, cli_printf("export.vdb.%s=%.17g", key, json_number_value(value)));
    }
}

static void cache_arguments(struct arguments *l, const json_t *c, const char *preset, int factor)
{
    arguments_add(l, strdup("bake"));
    arguments_add(l, strdup(preset));
    arguments_add_set(l, cli_printf("name=%s", cli_text(c, preset)));
    arguments_add_set(l, cli_printf("frames_from=%s", cli_text(c, "frames_from")));
    char *domain = domain_text(c, factor);
    arguments_add_set(l, domain ? cli_printf("domain=%s", domain) : NULL);
    free(domain);
    if (cli_number(c, "fps") > 0) arguments_add_set(l, cli_printf("time.fps=%.17g", cli_number(c, "fps")));
    const char *entries = cli_text(c, "vectors"), *flow = cli_text(c, "flow");
    arguments_add_set(l, cli_printf("fields={%s%s%s: {advect: false}}", entries, *entries ? ", " : "", flow));
    arguments_add_set(l, cli_printf("export.vdb.fields=[%s, %s]", cli_text(c, "fields"), flow));
    export_arguments(l, c);
}

/* The cache's statistics, from all its files; an exit code, after an error message unless 0. */
static int cache_read(const char *what, const char *flow, json_t **found)
{
    struct bw_session *session = cli_session_open(NULL, NULL);
    struct bw_cache *cache = NULL;
    int code = session ? EXIT_CODE_OK : 7;
    *found = NULL;
    if (!code && (bw_cache_open(session, what, &cache) || !(*found = cli_json(bw_cache_survey(cache, flow))))) {
        fprintf(stderr, "billow: %s\n", bw_error_last()->sentence);
        code = cli_exit_code(bw_error_last()->status);
        cli_json_error(bw_error_last(), code);
    }
    if (!code) cli_warn(), cli_particles_warn(cache, "carried along");
    bw_cache_close(cache);
    bw_session_close(session);
    return code;
}

int cmd_upres(int argc, char **argv)
{
    struct arguments tail = {.n = 0}, head = {.n = 0};
    json_t *cache = NULL;
    const char *flow = NULL;
    double strength = 1;
    long long factor = 2;
    int code, good = 1;
    while (good && (code = cli_option_next(&command_upres, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'x') {
            good = cli_integer("--factor", optarg, 2, 4, &factor);
            if (good && factor == 3) good = 0, cli_usage("--factor is 2 or 4, not 3: detail comes by octaves");
        } else if (code == 'w') flow = optarg;
        else if (code == 'g') good = cli_positive("strength", optarg, &strength);
        else option_forward(&tail, &command_upres, code);
    }
    const char *what = good ? cli_operand(&command_upres, argc, argv, "a cache") : NULL;
    int answer = EXIT_CODE_USAGE;
    if (what && (answer = cache_read(what, flow, &cache)) == EXIT_CODE_OK) {
        for (size_t a = 0; a < 3; a++)
            if (cli_number_at(cache, "first_voxel", a) == cli_number_at(cache, "last_voxel", a))
                answer = EXIT_CODE_USAGE;
        if (answer) cli_usage("%s is one cell thick: eddies in space have no room there", cli_text(cache, "pattern"));
    }
    if (what && answer == EXIT_CODE_OK) {
        cache_arguments(&head, cache, "upres", (int)factor);
        arguments_add_set(&head, cli_printf("stages.upres.flow.grid=%s", cli_text(cache, "flow")));
        flow_bind(&head, "upres.flow", cache);
        flow_bind(&head, "mac.advect", cache);
        arguments_add_set(&head, cli_printf("stages.upres.flow.strength=%.17g", strength));
        arguments_add_set(&head, cli_printf("stages.upres.match.fields=[%s]", cli_text(cache, "fields")));
        arguments_add_set(&head, cli_printf("stages.mac.advect.only=[%s]", cli_text(cache, "fields")));
        answer = arguments_bake(&head, &tail);
    }
    json_decref(cache);
    arguments_free(&head);
    arguments_free(&tail);
    return answer;
}

/* ---- retime ---- */

struct retime_options {
    double speed;
    int64_t first, last, hold, stand; ///< last < first: as many frames as it takes; stand 0: nothing is held
    int reverse;
};

/* A-B */
static int frames_read(const char *text, int64_t *first, int64_t *last)
{
    char *end;
    *first = strtoll(text, &end, 10);
    if (end == text || *end != '-') return 0;
    text = end + 1;
    *last = strtoll(text, &end, 10);
    return end != text && !*end;
}

static int retime_option_parse(struct retime_options *w, int code)
{
    char *end = optarg;
    switch (code) {
    case 'v': return cli_positive("speed", optarg, &w->speed);
    case 'b': return w->reverse = 1;
    case 'f':
        if (frames_read(optarg, &w->first, &w->last) && w->last > w->first) return 1;
        cli_usage("--frames wants A-B, like 1-144, not \"%s\"", optarg);
        return 0;
    default:
        w->hold = strtoll(optarg, &end, 10);
        if (*end == ':') w->stand = strtoll(end + 1, &end, 10);
        if (w->stand > 0 && !*end) return 1;
        cli_usage("--hold wants FRAME:FRAMES, like 40:24, not \"%s\"", optarg);
        return 0;
    }
}

static int retime_options_check(const struct retime_options *w, const json_t *c, int given)
{
    if (!given) return cli_usage("retime wants --speed, --frames, --hold or --reverse");
    if (w->last > w->first && w->speed != 1) return cli_usage("--frames says how fast already: give it or --speed");
    double first = cli_number(c, "first"), last = cli_number(c, "last");
    if (w->stand && ((double)w->hold < first || (double)w->hold > last))
        return cli_usage("--hold %lld lies outside of the cache's frames %.0f-%.0f", (long long)w->hold, first, last);
    return 0;
}

/* Which of the cache's frames each frame shows, and how many frames that makes. */
static void retime_arguments(const struct retime_options *w, const json_t *c, struct arguments *l)
{
    double least = cli_number(c, "first"), most = cli_number(c, "last");
    int64_t first = w->last > w->first ? w->first : (int64_t)least;
    double speed = w->last > w->first ? (most - least) / (double)(w->last - w->first - w->stand) : w->speed;
    double begin = w->reverse ? most : least, end = w->reverse ? least : most, count = fabs(end - begin) / speed;
    int64_t last = w->last > w->first ? w->last : first + (int64_t)floor(count + 1e-9) + w->stand;
    arguments_add_set(l, cli_printf("time.frames=%lld-%lld", (long long)first, (long long)last));
    if (!w->stand) {
        arguments_add_set(l, cli_printf("stages.retime.at=\"=%.17g%+.17g*(frame-(%lld))\"", begin,
                                        w->reverse ? -speed : speed, (long long)first));
        return;
    }
    double reached = (double)first + fabs((double)w->hold - begin) / speed;
    arguments_add_set(
        l, cli_printf("stages.retime.at=\"=frame < %.17g ? %.17g%+.17g*(frame-(%lld)) : frame < %.17g ? %lld : "
                      "%lld%+.17g*(frame-%.17g)\"",
                      reached, begin, w->reverse ? -speed : speed, (long long)first, reached + (double)w->stand,
                      (long long)w->hold, (long long)w->hold, w->reverse ? -speed : speed, reached + (double)w->stand));
}

int cmd_retime(int argc, char **argv)
{
    struct arguments tail = {.n = 0}, head = {.n = 0};
    json_t *cache = NULL;
    const char *flow = NULL;
    struct retime_options o = {.speed = 1, .last = -1};
    int code, good = 1, given = 0;
    while (good && (code = cli_option_next(&command_retime, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'w') flow = optarg;
        else if (!strchr("vfHb", code)) option_forward(&tail, &command_retime, code);
        else good = retime_option_parse(&o, code);
        given |= strchr("vfHbs", code) != NULL;
    }
    const char *what = good ? cli_operand(&command_retime, argc, argv, "a cache") : NULL;
    int answer = EXIT_CODE_USAGE;
    if (what && (answer = cache_read(what, flow, &cache)) == EXIT_CODE_OK) {
        answer = retime_options_check(&o, cache, given);
        if (!answer) {
            cache_arguments(&head, cache, "retime", 1);
            arguments_add_set(&head, cli_printf("stages.retime.grid=%s", cli_text(cache, "flow")));
            flow_bind(&head, "retime", cache);
            arguments_add_set(&head, cli_printf("stages.retime.fields=[%s]", cli_text(cache, "fields")));
            retime_arguments(&o, cache, &head);
            answer = arguments_bake(&head, &tail);
        }
    }
    json_decref(cache);
    arguments_free(&head);
    arguments_free(&tail);
    return answer;
}

/* ---- resim ---- */

/* A file's own path, as a preset beside another place names it; a preset's name as it is. New memory, or NULL. */
static char *base_of(const char *preset)
{
    char *path = realpath(preset, NULL);
    return path ? path : strdup(preset);
}

/* PRESET_resim, of a file's or a preset's name. */
static char *resim_name(const char *preset)
{
    const char *slash = strrchr(preset, '/'), *base = slash ? slash + 1 : preset, *dot = strrchr(base, '.');
    return cli_printf("%.*s_resim", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

/* The preset with the cache's flow in place of its pressure, as a text that `extends` it. New memory, or NULL. */
static char *resim_preset(const char *preset, const json_t *c)
{
    char *base = base_of(preset), *name = resim_name(preset);
    json_t *files = json_loads(cli_text(c, "frames_from"), JSON_DECODE_ANY, NULL); // quoted
    json_t *o = base && name && files
                    ? json_pack("{s:i, s:s, s:s, s:O, s:{s:s}, s:[{s:{s:s, s:s}}]}", "billow", 1, "extends", base,
                                "name", name, "frames_from", files, "time", "substeps", "auto", "stages", "resim",
                                "after", "mac.project", "grid", cli_text(c, "flow"))
                    : NULL;
    if (o && cli_number(c, "fps") > 0)
        json_object_set_new(json_object_get(o, "time"), "fps", json_real(cli_number(c, "fps")));
    char *frames = cli_printf("%.0f-%.0f", cli_number(c, "first"), cli_number(c, "last"));
    if (o && frames) json_object_set_new(json_object_get(o, "time"), "frames", json_string(frames));
    char *text = o && frames ? json_dumps(o, JSON_REAL_PRECISION(9)) : NULL;
    json_decref(o);
    free(frames);
    free(base);
    free(name);
    json_decref(files);
    return text;
}

/* Bakes a text as a preset of its own, which lies in a file until then. */
static int text_bake(const char *text, struct arguments *tail)
{
    const char *folder = getenv("TMPDIR");
    char *path = cli_printf("%s/resim-XXXXXX.yaml", folder && *folder ? folder : "/tmp");
    const int fd = path ? mkstemps(path, 5) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    struct arguments head = {.n = 0};
    int answer = 6;
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        fprintf(stderr, "billow: %s can't be written: %s\n", path ? path : "a preset", strerror(errno));
    } else {
        arguments_add(&head, strdup("bake"));
        arguments_add(&head, strdup(path));
        arguments_add(&head, strdup("--mute"));
        arguments_add(&head, strdup("mac.project"));
        answer = arguments_bake(&head, tail);
    }
    if (fd >= 0) unlink(path);
    arguments_free(&head);
    free(path);
    return answer;
}

int cmd_resim(int argc, char **argv)
{
    struct arguments tail = {.n = 0};
    json_t *cache = NULL;
    const char *flow = NULL;
    int code;
    while ((code = cli_option_next(&command_resim, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'w') flow = optarg;
        else option_forward(&tail, &command_resim, code);
    }
    if (argc - optind != 2) return cli_usage("resim wants a cache and a preset: billow resim out/plume other.yaml");
    const char *what = argv[optind], *preset = argv[optind + 1];
    int answer = cache_read(what, flow, &cache);
    char *text = answer ? NULL : resim_preset(preset, cache);
    if (text) answer = text_bake(text, &tail);
    else if (!answer) answer = cli_usage("a name that is not UTF-8, or out of memory");
    free(text);
    json_decref(cache);
    arguments_free(&tail);
    return answer;
}
