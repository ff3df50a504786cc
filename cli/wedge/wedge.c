// SPDX-License-Identifier: Apache-2.0
/* `billow wedge`: variants of a preset side by side. Makes or reads the plan, has its members run, and makes sheet,
 * movie and table of what there is. */
#include "wedge.h"

#include "bake/bake.h"
#include "farm/farm.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"vary", "KEY=VALUES", "what varies: KEY=a,b or KEY=1..4 or KEY=0..1/5, or a YAML file (any number of times)", 'V'},
    {"set", "KEY=VALUE", "a value of all members, as in bake (any number of times)", 's'},
    {"mute", "ID", "leave out a stage or an exporter", 'm'},
    {"frames", "A-B", "write only these frames", 'f'},
    {"quick", NULL, "voxels twice as large, renders half as large", 'q'},
    {"out", "DIR", "folder of the wedge instead of out/NAME_wedge", 'o'},
    {"force", NULL, "replace the wedge that the folder holds, or bake all its members again", 'F'},
    {"again", NULL, "of a folder: run what is not done (so does the folder alone, or the first command)", 'A'},
    {"jobs", "N", "members at once, instead of as many as cores and memory have room for", 'J'},
    {"threads", "N", "worker threads of each member", 't'},
    {"simd", "LEVEL", "baseline, avx2 or avx512", 'i'},
    {"memory", "SIZE", "stop a member cleanly when its memory grows past SIZE", 'M'},
    {"look", "OPTIONS", "of sheet and movie, those of preview: 'view: slice, size: 360'", 'l'},
    {"frame", "N", "the sheet's frame; the last unless this says otherwise", 'n'},
    {"still", NULL, "a contact sheet, and no movie", 'S'},
    {"dry-run", NULL, "only say which members there would be, and what they may cost", 'd'},
    FARM_OPTIONS,
    {"member", "N", "run this member alone, here (what array tasks do)", 'b'},
    {"requeue", NULL, "under Slurm: back into the queue when it was stopped with a checkpoint", 'Q'},
    {"collect", NULL, "only make sheet, movie, table and plots of what there is", 'C'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_wedge = {
    .name = "wedge",
    .synopsis = "PRESET|FOLDER [options], or pick FOLDER N",
    .brief = "Bake variants of a preset side by side, here or on a farm.",
    .details =
        "All combinations of what varies are baked into out/NAME_wedge/001, 002 …, several at once. The folder gets\n"
        "wedge.png, a labelled contact sheet, wedge.mp4, a movie of all (a row a value of the first --vary),\n"
        "wedge.csv, a row a member with its metrics, and wedge.svg, their plots. The same command again goes on with\n"
        "what was stopped or has failed. `billow wedge pick FOLDER N` writes member N as a preset.\n\n"
        "  billow wedge plume --vary stages.source.density=0.5,1,2 --vary time.seed=1..4 --quick\n"
        "  billow wedge plume --vary vary.yaml --on slurm\n"
        "  billow wedge out/plume_wedge --again\n"
        "  billow wedge pick out/plume_wedge 7\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_wedge,
};

struct wedge {
    struct wedge_run run;
    struct farm_options farm;
    const char *what, *out;
    json_t *axes, *plan; ///< plan: what is asked for
    int dry_run, collect, requeue, again, varied;
    long long member;
    char *folder;
    struct bw_session *session;
    int lock;
};

/* ---- options ---- */

static void text_add(json_t *plan, const char *key, const char *text)
{
    if (!json_object_get(plan, key)) json_object_set_new(plan, key, json_array());
    json_array_append_new(json_object_get(plan, key), json_string(text));
}

static int option_parse(struct wedge *w, int code)
{
    json_t *plan = w->plan;
    w->varied |= strchr("Vsmfqi", code) != NULL;
    switch (code) {
    case 'V': return vary_add(w->axes, optarg);
    case 's': return text_add(plan, "set", optarg), 0;
    case 'm': return text_add(plan, "mute", optarg), 0;
    case 'f': return json_object_set_new(plan, "frames", json_string(optarg));
    case 'i': return json_object_set_new(plan, "simd", json_string(optarg));
    case 'M': return json_object_set_new(plan, "memory", json_string(optarg));
    case 'q': return json_object_set_new(plan, "quick", json_true());
    case 'o': return w->out = optarg, 0;
    case 'F': return w->run.force = 1, 0;
    case 'A': return w->again = 1, 0;
    case 'J': return cli_integer("--jobs", optarg, 1, 1024, &w->run.jobs) ? 0 : EXIT_CODE_USAGE;
    case 't': return cli_integer("--threads", optarg, 1, 1024, &w->run.threads) ? 0 : EXIT_CODE_USAGE;
    case 'l': return w->run.look = optarg, 0;
    case 'n': return w->run.frame = optarg, 0;
    case 'S': return w->run.still = 1, 0;
    case 'd': return w->dry_run = 1, 0;
    case 'b': return cli_integer("--member", optarg, 1, WEDGE_MEMBERS_MOST, &w->member) ? 0 : EXIT_CODE_USAGE;
    case 'Q': return w->requeue = 1, 0;
    case 'C': return w->collect = 1, 0;
    case 'P': return w->run.plugin_path = optarg, 0;
    case 'R': return w->run.preset_path = optarg, 0;
    default: return farm_option(&w->farm, code, optarg);
    }
}

/* ---- the plan ---- */

/* The first axis is the sheet's rows. */
static void members_fill(json_t *plan, const json_t *axes, json_t *combined)
{
    json_t *members = json_array(), *keys = json_object(), *values, *value, *list = json_array();
    const size_t count = json_array_size(combined), rows = json_array_size(json_array_get(axes, 0));
    const char *key;
    size_t i;
    json_array_foreach (combined, i, values) {
        char folder[16];
        snprintf(folder, sizeof folder, count > 999 ? "%04zu" : "%03zu", i + 1);
        json_array_append_new(
            members, json_pack("{s:I, s:s, s:O}", "number", (json_int_t)i + 1, "folder", folder, "values", values));
        json_object_foreach (values, key, value) json_object_set_new(keys, key, json_null());
    }
    json_object_foreach (keys, key, value) json_array_append_new(list, json_string(key));
    // an axis alone is wrapped: sixteen draws in one column would be a strip
    size_t columns = count / rows;
    while (json_array_size(axes) == 1 && columns * columns < count) columns++;
    json_object_set_new(plan, "columns", json_integer((json_int_t)columns));
    json_object_set_new(plan, "keys", list);
    json_object_set_new(plan, "members", members);
    json_decref(keys);
}

static int plan_make(struct wedge *w)
{
    struct bw_bake *bake = NULL;
    struct bw_bake_facts f = {.size = sizeof f};
    const struct bw_bake_options o = {.size = sizeof o, .preset = w->what};
    if (!json_array_size(w->axes)) return cli_usage("wedge wants --vary KEY=VALUES, or a folder that holds a wedge");
    json_t *combined = vary_combine(w->axes);
    if (!combined) return EXIT_CODE_USAGE;
    members_fill(w->plan, w->axes, combined);
    json_decref(combined);
    int code = bw_bake_open(w->session, &o, &bake) || bw_bake_facts(bake, &f) ? cli_library_error() : EXIT_CODE_OK;
    if (!code) {
        char *path = realpath(f.path, NULL);
        json_object_set_new(w->plan, "preset", json_string(path ? path : f.path));
        if (!json_object_get(w->plan, "preset")) code = cli_usage("%s: a path that is UTF-8 is wanted", f.path);
        w->folder = w->out ? strdup(w->out) : cli_printf("out/%s_wedge", f.name);
        free(path);
    }
    bw_bake_close(bake);
    if (!code) code = plan_fill(w->session, w->plan, w->folder);
    if (!code) json_object_set_new(w->plan, "billow", json_integer(1));
    return code;
}

/* ---- the folder ---- */

/* Held while members are run from here; a farm's tasks hold their own bakes' locks. */
static int folder_lock(struct wedge *w)
{
    char *path = cli_printf("%s/.wedge.lock", w->folder);
    w->lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
    free(path);
    if (w->lock < 0) return cli_print_line(stderr, "%s: can't be written: %s", w->folder, strerror(errno)), 6;
    if (flock(w->lock, LOCK_EX | LOCK_NB)) return cli_usage("another wedge runs in %s", w->folder);
    return EXIT_CODE_OK;
}

static void difference_print(const json_t *old, const json_t *new)
{
    static const char *const keys[] = {"preset", "set", "mute", "frames", "quick", "simd", "keys"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *a = json_object_get(old, keys[i]), *b = json_object_get(new, keys[i]);
        if (a == b || (a && b && json_equal(a, b))) continue;
        char *from = a ? json_dumps(a, JSON_ENCODE_ANY) : NULL, *to = b ? json_dumps(b, JSON_ENCODE_ANY) : NULL;
        fprintf(stderr, "  %s: %s → %s\n", keys[i], from ? from : "(nothing)", to ? to : "(nothing)");
        free(from);
        free(to);
    }
    const size_t a = json_array_size(json_object_get(old, "members")),
                 b = json_array_size(json_object_get(new, "members"));
    if (a != b) fprintf(stderr, "  members: %zu → %zu\n", a, b);
}

/* Where another wedge or a bake lies, nothing is begun. */
static int folder_check(struct wedge *w)
{
    json_t *old;
    char *record = cli_printf("%s/bake.json", w->folder);
    int code = wedge_record_read(w->folder, &old);
    if (code && w->run.force) code = EXIT_CODE_OK; // it is replaced
    if (code) {
    } else if (old && !json_equal(old, w->plan) && !w->run.force) {
        code = cli_usage("%s holds another wedge", w->folder);
        difference_print(old, w->plan);
        fputs("--force replaces it, --out DIR bakes elsewhere\n", stderr);
    } else if (!old && record && !access(record, F_OK)) {
        code = cli_usage("%s holds a bake: --out DIR names another folder for the wedge", w->folder);
    }
    json_decref(old);
    free(record);
    return code;
}

static int plan_write(const struct wedge *w)
{
    char *path = cli_printf("%s/wedge.json", w->folder), *text = json_dumps(w->plan, JSON_INDENT(1));
    const int code = path && text ? cli_write_file(path, text) : 7;
    free(path);
    free(text);
    return code;
}

/* ---- running ---- */

static void members_print(const struct wedge *w)
{
    const json_t *member;
    size_t i;
    char memory[48];
    json_array_foreach (json_object_get(w->plan, "members"), i, member) {
        char *words = member_label(w->plan, member, " ");
        printf("%4zu  %s  frames %.0f-%.0f, up to %s\n", i + 1, words ? words : "", cli_number(member, "first"),
               cli_number(member, "last"), bw_number_words(cli_number(member, "memory"), "B", memory));
        free(words);
    }
}

static int results_write(struct wedge *w)
{
    if (json_is_true(json_object_get(w->plan, "split"))) return farm_gather(w->folder, w->plan);
    int code = table_write(w->folder, w->plan);
    if (!code) code = plots_write(w->folder, w->plan);
    return code ? code : sheet_write(w->session, w->folder, w->plan, w->run.look, w->run.frame, w->run.still);
}

static void next_steps_print(const struct wedge *w)
{
    const size_t n = json_array_size(json_object_get(w->plan, "members"));
    char *folder = cli_quote_path(w->folder);
    const char *shown = folder ? folder : w->folder;
    cli_print_line(stderr, "%s: %zu member%s", w->folder, n, n == 1 ? "" : "s");
    fprintf(stderr, "next:\n  xdg-open %s/wedge.png\n", shown);
    if (!w->run.still) fprintf(stderr, "  xdg-open %s/wedge.mp4\n", shown);
    fprintf(stderr, "  %s wedge pick %s N\n", command_name(), shown);
    free(folder);
}

/// How to go on: `before` and `after` stand around the command.
static void rerun_print(const struct wedge *w, const char *before, const char *after)
{
    char *folder = cli_quote_path(w->folder);
    fprintf(stderr, "%s%s wedge %s --again%s\n", before, command_name(), folder ? folder : w->folder, after);
    free(folder);
}

static int wedge_collect(struct wedge *w)
{
    const int code = results_write(w);
    if (members_report(w->folder, w->plan)) {
        rerun_print(w, "run what is left: ", "");
        return EXIT_CODE_FAILURE;
    }
    if (code || json_is_true(json_object_get(w->plan, "split"))) return code;
    next_steps_print(w);
    return EXIT_CODE_OK;
}

static int local_run(struct wedge *w)
{
    json_t *machine = cli_json(bw_session_machine(w->session, w->folder));
    int code = folder_lock(w);
    if (!code) code = wedge_local(&w->run, w->plan, cli_number(machine, "cores"), cli_number(machine, "memory"));
    json_decref(machine);
    if (!code) return wedge_collect(w);
    if (code == 75) rerun_print(w, "`", "` goes on");
    return code;
}

static int wedge_start(struct wedge *w)
{
    int code = cli_folder_make(w->folder);
    if (!code) code = folder_check(w);
    if (!code) code = plan_write(w);
    if (code) return code;
    return w->farm.on ? farm_wedge(&w->farm, &w->run, w->plan) : local_run(w);
}

/* A folder: its own plan, and nothing that would change it. */
static int folder_run(struct wedge *w)
{
    json_t *plan;
    const int code = wedge_record_read(w->what, &plan);
    if (code) return code;
    if (!plan) return cli_usage("%s holds no wedge: there is no %s/wedge.json", w->what, w->what);
    json_decref(w->plan);
    w->plan = plan;
    w->folder = strdup(w->what);
    if (w->varied) return cli_usage("%s is a wedge already: what it varies and sets stays as it is", w->what);
    return w->out ? cli_usage("%s is a wedge already: --out has no meaning", w->what) : EXIT_CODE_OK;
}

static int is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int wedge_run(struct wedge *w)
{
    const int folder = is_folder(w->what);
    if (!folder && (w->again || w->collect || w->member))
        return cli_usage("%s is no folder that holds a wedge", w->what);
    int code = folder ? folder_run(w) : EXIT_CODE_OK;
    if (code) return code;
    w->run.out = w->folder;
    if (w->member) return wedge_member(&w->run, w->plan, w->member, w->requeue);
    w->session = cli_session_open(w->run.plugin_path, w->run.preset_path);
    if (!w->session) return 7;
    if (!folder) code = plan_make(w);
    w->run.out = w->folder;
    if (!code && w->dry_run) members_print(w);
    else if (!code) code = w->collect ? wedge_collect(w) : wedge_start(w);
    return code;
}

int cmd_wedge(int argc, char **argv)
{
    struct wedge w = {.lock = -1};
    int code = EXIT_CODE_OK, bad = 0;
    if (argc > 1 && !strcmp(argv[1], "pick")) return wedge_pick(argc - 1, argv + 1);
    w.axes = json_array();
    w.plan = json_object();
    while (!bad && (code = cli_option_next(&command_wedge, argc, argv)) != CLI_END)
        bad = code < 0 ? 1 : option_parse(&w, code);
    if (bad) code = code == CLI_HELP ? EXIT_CODE_OK : code == CLI_BAD ? EXIT_CODE_USAGE : bad;
    else if ((code = farm_options_check(&w.farm))) {
    } else
        code = (w.what = cli_operand(&command_wedge, argc, argv, "a preset or a folder")) ? wedge_run(&w)
                                                                                          : EXIT_CODE_USAGE;
    bw_session_close(w.session);
    if (w.lock >= 0) close(w.lock);
    farm_options_free(&w.farm);
    json_decref(w.axes);
    json_decref(w.plan);
    free(w.folder);
    return code;
}
