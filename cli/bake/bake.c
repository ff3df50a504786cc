// SPDX-License-Identifier: Apache-2.0
/* `billow bake`: options, messages, signals and the exit code; the library reads the preset, checks the folder and
 * runs. */
#include "bake.h"
#include "ranks.h"

#include "farm/farm.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 256 };

struct bake {
    const char *plugin_path, *preset_path;
    const char *set[SETS_MAX], *mute[SETS_MAX];
    int dry_run, json, requeue, failure_printed;
    struct farm_options farm;
    long long tasks;
    struct bw_bake_options o;
    struct bw_session *session;
    struct bw_bake *bake;
    struct bw_bake_facts facts;
    struct progress progress;
    struct watchdog watchdog;
    char *source; ///< the --set of frames_from, after the source bake
    enum bw_status status;
    char *message, *text; ///< the failure's first line, for the event "end"; all of it
    json_t *place;        ///< "file", "line", "column" of it, or NULL
};

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "change a value: stages.ID.key=…, domain.voxel=1cm (any number of times)", 's'},
    {"frames", "A-B", "write only these frames", 'f'},
    {"quick", NULL, "voxels twice as large, renders half as large, into out/NAME_quick", 'q'},
    {"mute", "ID", "leave out a stage or an exporter (any number of times)", 'm'},
    {"seed", "N", "another seed for everything random", 'e'},
    {"out", "DIR", "output folder instead of out/NAME", 'o'},
    {"force", NULL, "replace what the folder holds", 'F'},
    {"overcommit", NULL, "start although full boxes would not fit into memory; stops at the limit", 'C'},
    {"resume", NULL, "go on from the newest checkpoint; a finished bake is made longer by --frames", 'r'},
    {"from-frame", "N", "with --resume: from frame N on values may be others", 'N'},
    {"new", NULL, "keep what is there, bake into the next free NAME_v002, NAME_v003 …", 'n'},
    {"dry-run", NULL, "only say what would run, and how much memory and disk it may take", 'd'},
    {"threads", "N", "worker threads; the result is the same for any number", 't'},
    {"simd", "LEVEL", "baseline, avx2 or avx512: pin the instructions for equal bits on other machines", 'i'},
    {"memory", "SIZE", "stop cleanly when memory grows past SIZE, 12G", 'M'},
    {"patience", "SECONDS", "report the plugin at work when a step takes longer (60)", 'w'},
    {"view", "[=gentle]", "a page to look at it while it bakes; gentle: its pictures wait for the bake", 'v'},
    PAGE_OPTIONS,
    FARM_OPTIONS,
    FARM_TASKS,
    {"requeue", NULL, "under Slurm: back into the queue when it was stopped with a checkpoint", 'Q'},
    {"json", NULL, "one JSON event a line on stdout", 'j'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_bake = {
    .name = "bake",
    .synopsis = "PRESET [options]",
    .brief = "Simulate a preset and write its cache, movie and pictures.",
    .details =
        "PRESET is a file, or a name looked up in the current folder, on --preset-path and among the installed.\n"
        "The folder gets vdb/NAME_0001.vdb …, movie and pictures as the preset says, metrics.csv, timings.csv,\n"
        "resolved.yaml, bake.log and bake.json. A second bake of the same preset says \"up to date\"; a different one\n"
        "is refused until --force or --new says what to do. Ctrl-C stops soon with a checkpoint, from which\n"
        "--resume goes on to the same bits.\n\n"
        "  billow bake plume --quick\n"
        "  billow bake plume --set domain.voxel=1cm --set stages.mac.forces.confinement=0.5 --new\n"
        "  billow bake shot.yaml --frames 1001-1040 --json\n"
        "  billow bake plume --resume --from-frame 40 --set stages.mac.forces.confinement=0.5\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_bake,
    .several = 1,
};

/* ---- options ---- */

static int list_add(const char **list, int32_t *n, const char *option, const char *text)
{
    if (*n == SETS_MAX) {
        cli_usage("%s is given more than %d times", option, SETS_MAX);
        return 0;
    }
    list[(*n)++] = text;
    return 1;
}

static int threads_parse(struct bake *b, const char *text)
{
    long long n;
    if (!cli_integer("--threads", text, 1, 1024, &n)) return 0;
    b->o.threads = (uint32_t)n;
    return 1;
}

static int patience_parse(struct bake *b, const char *text)
{
    long long seconds;
    if (!cli_integer("--patience", text, 1, 1000000, &seconds)) return 0;
    b->watchdog.seconds = (double)seconds;
    return 1;
}

static int mode_parse(struct bake *b, uint32_t mode)
{
    if (b->o.mode && b->o.mode != mode) {
        cli_usage("--force replaces the old bake, --new keeps it, --resume goes on with it: give one of them");
        return 0;
    }
    b->o.mode = mode;
    return 1;
}

static int view_parse(struct bake *b, const char *how)
{
    b->progress.wants_page = 1;
    b->progress.page.o.gentle = how && !strcmp(how, "gentle");
    if (!how || b->progress.page.o.gentle) return 1;
    cli_usage("--view is %s; gentle is wanted, or nothing", how);
    return 0;
}

static int option_parse(struct bake *b, int code)
{
    switch (code) {
    case 's': return list_add(b->set, &b->o.n_set, "--set", optarg);
    case 'm': return list_add(b->mute, &b->o.n_mute, "--mute", optarg);
    case 'f': return b->o.frames = optarg, 1;
    case 'q': return b->o.quick = 1;
    case 'e': return b->o.seed = optarg, 1;
    case 'o': return b->o.out = optarg, 1;
    case 'F': return mode_parse(b, BW_BAKE_REPLACE);
    case 'C': return b->o.overcommit = 1;
    case 'n': return mode_parse(b, BW_BAKE_BESIDE);
    case 'r': return mode_parse(b, BW_BAKE_RESUME);
    case 'N': return b->o.from_frame = optarg, 1;
    case 'd': return b->dry_run = 1;
    case 't': return threads_parse(b, optarg);
    case 'i': return b->o.simd = optarg, 1;
    case 'M': return b->o.memory = optarg, 1;
    case 'w': return patience_parse(b, optarg);
    case 'j': return b->json = 1;
    case 'Q': return b->requeue = 1;
    case 'k': return cli_integer("--tasks", optarg, 1, 1000, &b->tasks);
    case 'O':
    case 'T':
    case 'K': return !farm_option(&b->farm, code, optarg);
    case 'v': return view_parse(b, optarg);
    case 'L':
    case 'p': return page_option(&b->progress.page, code, optarg);
    case 'P': return b->plugin_path = optarg, 1;
    case 'R': return b->preset_path = optarg, 1;
    default: return 0;
    }
}

/* Returns CLI_END, or CLI_BAD or CLI_HELP. */
static int options_read(struct bake *b, int argc, char **argv)
{
    int code;
    b->o = (struct bw_bake_options){.size = sizeof b->o, .set = b->set, .mute = b->mute, .out = ""};
    while ((code = cli_option_next(&command_bake, argc, argv)) != CLI_END) {
        if (code < 0 || !option_parse(b, code)) return code < 0 ? code : CLI_BAD;
    }
    b->o.preset = cli_operand(&command_bake, argc, argv, "a preset");
    if (b->tasks && !b->farm.on) return cli_usage("--tasks goes with --on slurm"), CLI_BAD;
    return b->o.preset && !farm_options_check(&b->farm) ? CLI_END : CLI_BAD;
}

/* ---- failures ---- */

/* Copy the library's last error; printed at the end by failure_print. */
static enum bw_status bake_failed(struct bake *b)
{
    const struct bw_error *e = bw_error_last();
    b->status = e->status;
    free(b->message);
    free(b->text);
    json_decref(b->place);
    b->place =
        e->file ? json_pack("{s:s, s:i, s:i}", "file", e->file, "line", (int)e->line, "column", (int)e->column) : NULL;
    b->message = e->count ? strdup(e->sentence) : NULL;
    b->text = e->count || e->status != BW_ERR_CANCELLED ? strdup(e->text) : NULL;
    return b->status;
}

/* An option's value that the library rejects: print it with the option's dashes. */
static int option_error_print(const struct bake *b)
{
    static const char *const name[] = {"memory wants", "frames wants", "seed wants", "simd takes"};
    if (b->status != BW_ERR_USAGE || !b->message) return 0;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        if (!strncmp(b->message, name[i], strlen(name[i]))) return cli_usage("--%s", b->message);
    }
    return strncmp(b->message, "this machine", 12) ? 0 : cli_usage("%s", b->message);
}

static void failure_print(struct bake *b)
{
    if (b->failure_printed || b->status == BW_OK) return;
    b->failure_printed = 1;
    if (!option_error_print(b) && b->text) fputs(b->text, stderr);
    if (b->status == BW_ERR_LIMIT && b->bake && !b->o.overcommit && !b->facts.seconds)
        fputs("(--overcommit starts all the same and stops at the limit)\n", stderr);
}

/* Has bw_bake_start refused because of the folder's content? */
static int folder_refused(const struct bake *b)
{
    return b->status == BW_ERR_USAGE && b->facts.out && !strcmp(cli_text(b->place, "file"), b->facts.out);
}

/* The folder holds something else: print the differences, and the options that help. */
static void refusal_print(struct bake *b)
{
    json_t *all = cli_json(bw_bake_describe(b->bake)), *folder = json_object_get(all, "folder");
    int same = json_is_true(json_object_get(folder, "same")), holds = json_is_true(json_object_get(folder, "holds"));
    int unrecorded = !cli_number(folder, "left") && cli_number(folder, "strangers") > 0;
    const char *advice = b->o.mode == BW_BAKE_RESUME && same && !unrecorded ? "--force bakes it anew, --new beside it"
                         : unrecorded ? "--force takes their names and leaves the rest, --new bakes beside them"
                         : same       ? "--resume goes on with it, --force bakes it anew, --new beside it"
                                      : "--force replaces it, --new bakes beside it";
    if (holds || unrecorded) {
        b->failure_printed = 1;
        fprintf(stderr, "%s%s", b->message, same && !unrecorded ? ": " : "\n");
        if (!unrecorded) fputs(cli_text(folder, "differences"), stderr);
        fprintf(stderr, "%s, --out DIR elsewhere\n", advice);
    }
    json_decref(all);
}

/* ---- running ---- */

static volatile sig_atomic_t stops_requested, checkpoint_requested;

static void message_write(const char *words)
{
    if (write(STDERR_FILENO, words, strlen(words)) < 0) return;
}

/* The first signal asks to end with a checkpoint, the second to end without one; a third one kills. */
static void on_stop_signal(int number)
{
    if (++stops_requested == 1) {
        message_write("\nstopping after this step, with a checkpoint; once more: at once\n");
    } else {
        message_write("\nstopping at once; once more to kill\n");
        signal(number, SIG_DFL);
    }
}

static void on_checkpoint_signal(int number)
{
    (void)number;
    checkpoint_requested = 1;
}

static void signals_install(void)
{
    struct sigaction stop = {.sa_handler = on_stop_signal, .sa_flags = (int)SA_RESTART},
                     keep = {.sa_handler = on_checkpoint_signal, .sa_flags = (int)SA_RESTART}, before;
    sigemptyset(&stop.sa_mask);
    sigemptyset(&keep.sa_mask);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &stop, NULL); // nohup
    sigaction(SIGUSR1, &keep, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* The library's threads run; this one waits for a signal or the end. */
static int bake_wait(struct bake *b)
{
    int status, asked = 0;
    while ((status = bw_bake_wait(b->bake, 0.05)) == 1) {
        for (; asked < stops_requested; asked++) bw_bake_cancel(b->bake);
        if (checkpoint_requested) checkpoint_requested = 0, bw_bake_checkpoint(b->bake);
        watchdog_poll(&b->watchdog, &b->progress, b->bake, asked);
    }
    return status;
}

static void up_to_date_print(const struct bake *b)
{
    char frames[48];
    const char *see = NULL;
    for (int i = 0; i < 4 && !see; i++) see = b->progress.output[i];
    if (b->json) return;
    cli_print_line(stderr, "%s is up to date: %s%s%s (--force bakes it again)", b->facts.out,
                   bw_number_words((double)(b->facts.last - b->facts.first + 1), "frame", frames), see ? ", see " : "",
                   see ? see : "");
}

static void done_print(const struct bake *b)
{
    char frames[48], bytes[48], seconds[48];
    if (b->json) return;
    cli_print_line(stderr, "%s: %s, %s in %s", b->facts.out,
                   bw_number_words((double)(b->facts.last - b->facts.first + 1), "frame", frames),
                   bw_number_words(b->facts.bytes, "B", bytes), bw_number_words(b->facts.seconds, "s", seconds));
    cache_size_print(&b->progress, (double)(b->facts.last - b->facts.first + 1));
    summary_print(&b->progress, b->facts.name, b->facts.out);
}

/* The page opens before the first step. 0 after an error message. */
static int page_begin(struct bake *b)
{
    struct page *page = &b->progress.page;
    if (!b->progress.wants_page) return 1;
    int code = page_open(page, b->session);
    if (!code && !page->calls->show_bake(page->web, b->bake)) {
        if (!b->json) fprintf(stderr, "look at it: %s\n", page_address(page));
        event_print(&b->progress, "page", json_pack("{s:s}", "address", page_address(page)));
        return 1;
    }
    b->failure_printed = code != 0;
    b->status = code ? (enum bw_status) - code : bake_failed(b);
    return 0;
}

/* The bake was stopped, resumed from its page, and finished there. */
static void mark_completed(struct bake *b)
{
    if (b->status != BW_ERR_CANCELLED) return;
    b->status = BW_OK;
    free(b->message);
    b->message = NULL;
    json_decref(b->place);
    b->place = NULL;
}

static void bake_run(struct bake *b)
{
    if (!page_begin(b)) return;
    signals_install();
    if (bw_bake_join(b->bake) || bw_bake_start(b->bake)) {
        bake_failed(b);
        if (folder_refused(b)) refusal_print(b);
        return;
    }
    int status = bake_wait(b);
    progress_break(&b->progress);
    progress_end(&b->progress);
    if (status) bake_failed(b);
    const int known = !bw_bake_facts(b->bake, &b->facts) && !status;
    failure_print(b);
    if (known && b->facts.up_to_date) up_to_date_print(b);
    else if (known) done_print(b);
    const char *why = status ? b->message ? b->message : "stopped" : NULL;
    if (stops_requested < 2 && page_end(&b->progress.page, why)) mark_completed(b);
}

/* ---- bakes whose frames come from another bake ---- */

static int source_bake(const struct bake *b)
{
    char threads[16], word[][16] = {"bake", "--out", "--resume", "--threads", "--quick", "--dry-run", "--json"};
    char *preset = strdup(b->facts.source), *folder = strdup(b->facts.source_out);
    char *argv[16] = {word[0], preset, word[1], folder, word[2]};
    int argc = 5, code = 7;
    if (b->o.threads) {
        snprintf(threads, sizeof threads, "%u", b->o.threads);
        argv[argc++] = word[3], argv[argc++] = threads;
    }
    if (b->o.quick) argv[argc++] = word[4];
    if (b->dry_run) argv[argc++] = word[5];
    if (b->dry_run && b->json) argv[argc++] = word[6];
    optind = 0; // getopt begins anew
    if (preset && folder) code = cmd_bake(argc, argv);
    free(preset);
    free(folder);
    return code;
}

/* The --set that names the files which the other bake made. */
static char *frames_from_setting(const struct bake *b)
{
    struct bw_cache *cache;
    if (bw_cache_open(b->session, b->facts.source_out, &cache)) return NULL;
    json_t *all = cli_json(bw_cache_describe(cache, 0));
    char *setting = all ? cli_printf("frames_from=\"%s\"", cli_text(all, "pattern")) : NULL;
    json_decref(all);
    bw_cache_close(cache);
    return setting;
}

/* The other bake goes first, then the preset is read again with its files. */
static enum bw_status source_bake_first(struct bake *b)
{
    int code = source_bake(b);
    if (code) {
        cli_print_line(stderr, "%s takes its frames from %s, in %s", b->facts.name, b->facts.source,
                       b->facts.source_out);
        b->failure_printed = 1;
        b->message =
            cli_printf("%s takes its frames from %s, in %s", b->facts.name, b->facts.source, b->facts.source_out);
        return b->status = code == 130 || code == 75 ? BW_ERR_CANCELLED : (enum bw_status) - code;
    }
    if (b->dry_run && access(b->facts.source_out, R_OK)) return BW_OK;
    b->source = frames_from_setting(b);
    if (!b->source) return bake_failed(b);
    if (!list_add(b->set, &b->o.n_set, "--set", b->source)) return b->status = BW_ERR_USAGE;
    bw_bake_close(b->bake);
    return bw_bake_open(b->session, &b->o, &b->bake) || bw_bake_facts(b->bake, &b->facts) ? bake_failed(b) : BW_OK;
}

/* ---- the command ---- */

static int bake_submit(const struct bake *b)
{
    const struct farm_bake f = {.bake = b->bake,
                                .session = b->session,
                                .mode = b->o.mode,
                                .tasks = b->tasks,
                                .frames = b->o.frames,
                                .memory = b->o.memory,
                                .simd = b->o.simd,
                                .from_frame = b->o.from_frame,
                                .plugin_path = b->plugin_path,
                                .preset_path = b->preset_path};
    return farm_submit_bake(&b->farm, &f);
}

static enum bw_status bake_open(struct bake *b)
{
    b->session = cli_session_open(b->plugin_path, b->preset_path);
    if (!b->session) return b->failure_printed = 1, bake_failed(b);
    progress_attach(&b->progress, &b->o);
    b->facts.size = sizeof b->facts;
    if (bw_bake_open(b->session, &b->o, &b->bake) || bw_bake_facts(b->bake, &b->facts)) return bake_failed(b);
    if (b->facts.source && !ranks_allow_source(b->facts.name, b->facts.source)) {
        b->failure_printed = 1;
        return b->status = BW_ERR_USAGE;
    }
    return b->facts.source ? source_bake_first(b) : BW_OK;
}

static void bake_free(struct bake *b)
{
    bw_bake_close(b->bake);
    bw_session_close(b->session);
    progress_free(&b->progress);
    farm_options_free(&b->farm);
    free(b->source);
    json_decref(b->place);
    free(b->message);
    free(b->text);
}

/* Interrupted, but nothing that was simulated is lost. */
static int bake_exit_code(struct bake *b)
{
    enum { RESUMABLE = 75 };
    if (b->status != BW_ERR_CANCELLED || !b->bake || bw_bake_facts(b->bake, &b->facts) || !b->facts.checkpoint)
        return cli_exit_code(b->status);
    char *quoted = b->json || !b->facts.out ? NULL : cli_quote_path(b->facts.out);
    if (quoted) fprintf(stderr, "%s is kept: `%s resume %s` goes on\n", b->facts.checkpoint, command_name(), quoted);
    free(quoted);
    return RESUMABLE;
}

int cmd_bake(int argc, char **argv) { return bake_run_arguments(argc, argv, NULL); }

int bake_run_arguments(int argc, char **argv, char **message)
{
    struct bake b = {0};
    int code = options_read(&b, argc, argv);
    if (code != CLI_END) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    if (!ranks_begin(&b.o, b.farm.on ? "--on" : b.progress.wants_page ? "--view" : NULL)) return EXIT_CODE_USAGE;
    progress_init(&b.progress, b.json);
    enum bw_status status = bake_open(&b);
    if (status != BW_OK) ranks_failed_early();
    if (status == BW_OK && b.farm.on && !b.dry_run) {
        code = bake_submit(&b);
        bake_free(&b);
        return code;
    }
    if (status == BW_OK && b.dry_run) {
        if (estimate_print(b.bake)) bake_failed(&b);
        else if (b.farm.on && !b.json && (code = farm_dry_run(&b.farm, b.bake))) {
            bake_free(&b);
            return code;
        }
    } else if (status == BW_OK) {
        bake_run(&b);
    }
    code = bake_exit_code(&b);
    ranks_end(b.bake);
    failure_print(&b);
    json_t *end = json_pack("{s:b, s:i, s:s?}", "ok", b.status == BW_OK, "code", code, "message", b.message);
    if (end && b.place) json_object_update(end, b.place);
    event_print(&b.progress, "end", end);
    if (b.requeue && code == 75 && bw_process_rank(NULL) == 0) farm_requeue(b.facts.out);
    if (message && b.message) *message = strdup(b.message);
    bake_free(&b);
    return code;
}
