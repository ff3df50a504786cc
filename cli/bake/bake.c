// SPDX-License-Identifier: Apache-2.0
/* `billow bake`: read the preset, see whether the folder already holds this bake, estimate, run, and say how to go on.
 * Beside the cache it leaves resolved.yaml (all values), bake.log and bake.json (see record.c). */
#include "bake.h"

#include "base/alloc.h"
#include "preset/values/params.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SETS_MAX = 256 };

struct bake {
    const char *name, *plugin_path, *preset_path, *out_given;
    const char *set[SETS_MAX], *mute[SETS_MAX];
    int force, fresh, dry_run, json, locked;
    int told; /* the sentence in `diag` has been printed already */
    struct bw_preset_overrides over;
    struct bw_run_options run;
    struct bw_registry *registry;
    struct bw_preset *preset;
    struct bw_chain *chain;
    struct bake_progress progress;
    struct bake_record record;
    struct bake_facts facts;
    char *out, *log_path, *source; ///< source: the --set that says where frames come from
    struct bw_diag diag;
};

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "change a value: stages.ID.key=…, domain.voxel=1cm (any number of times)", 's'},
    {"frames", "A-B", "write only these frames", 'f'},
    {"quick", NULL, "voxels twice as large, simpler pictures, into out/NAME_quick", 'q'},
    {"mute", "ID", "leave out a stage or an exporter (any number of times)", 'm'},
    {"seed", "N", "another seed for everything random", 'e'},
    {"out", "DIR", "output folder instead of out/NAME", 'o'},
    {"force", NULL, "replace what the folder holds; also skips the memory estimate", 'F'},
    {"new", NULL, "keep what is there, bake into the next free NAME_v002, NAME_v003 …", 'n'},
    {"dry-run", NULL, "only say what would run, and how much memory and disk it may take", 'd'},
    {"threads", "N", "worker threads; the result is the same for any number", 't'},
    {"simd", "LEVEL", "baseline, avx2 or avx512: pin the instructions for equal bits on other machines", 'i'},
    {"memory", "SIZE", "stop cleanly when memory grows past SIZE, 12G", 'M'},
    {"json", NULL, "one JSON event a line on stdout", 'j'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_bake = {
    .name = "bake",
    .synopsis = "PRESET [options]",
    .brief = "Simulate a preset and write its cache, movie and pictures.",
    .details =
        "PRESET is a file, or a name looked up in the current folder, on --preset-path and among the installed.\n"
        "The folder gets vdb/NAME_0001.vdb …, movie and pictures as the preset says, metrics.csv, resolved.yaml,\n"
        "bake.log and bake.json. A second bake of the same preset says \"up to date\"; a different one is refused\n"
        "until --force or --new says what to do. Ctrl-C stops soon and keeps the frames that are whole.\n\n"
        "  billow bake plume --quick\n"
        "  billow bake plume --set domain.voxel=1cm --set stages.mac.forces.confinement=0.5 --new\n"
        "  billow bake shot.yaml --frames 1001-1040 --json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_bake,
};

/* ---- options ---- */

static int simd_parse(struct bake *b, const char *text)
{
    static const char *const level[] = {"baseline", "avx2", "avx512"};
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, level[i])) continue;
        if (i > bw_simd_best()) {
            cli_usage("this machine has no %s; its best is %s", text, level[bw_simd_best()]);
            return 0;
        }
        b->run.simd = i;
        return 1;
    }
    const char *near = bw_did_you_mean(text, level, 3);
    cli_usage("--simd takes baseline, avx2 or avx512, not \"%s\"%s%s", text, near ? "; did you mean " : "",
              near ? near : "");
    return 0;
}

static int seed_parse(struct bake *b, const char *text)
{
    char *end = NULL;
    errno = 0;
    b->over.seed = strtoull(text, &end, 0);
    b->over.has_seed = 1;
    if (end != text && !*end && !errno && *text != '-') return 1;
    cli_usage("--seed wants a whole number, not \"%s\"", text);
    return 0;
}

static int list_add(const char **list, int32_t *n, const char *option, const char *text)
{
    if (*n == SETS_MAX) {
        cli_usage("%s is given more than %d times", option, SETS_MAX);
        return 0;
    }
    list[(*n)++] = text;
    return 1;
}

static int memory_take(struct bake *b, const char *text)
{
    double bytes;
    b->over.memory = text;
    if (bw_parse_bytes(text, &bytes) == BW_OK && bytes > 0) return 1;
    cli_usage("--memory wants an amount like 12G or 900M, not \"%s\"", text);
    return 0;
}

static int frames_take(struct bake *b, const char *text)
{
    int64_t first, last;
    b->over.frames = text;
    if (bw_parse_frames(text, &first, &last) == BW_OK) return 1;
    cli_usage("--frames wants A-B, like 1001-1040, not \"%s\"", text);
    return 0;
}

static int option_take(struct bake *b, int code)
{
    long long n;
    switch (code) {
    case 's': return list_add(b->set, &b->over.n_set, "--set", optarg);
    case 'm': return list_add(b->mute, &b->over.n_mute, "--mute", optarg);
    case 'f': return frames_take(b, optarg);
    case 'q': return b->over.quick = b->run.quick = 1;
    case 'e': return seed_parse(b, optarg);
    case 'o': return b->out_given = optarg, 1;
    case 'F': return b->force = 1;
    case 'n': return b->fresh = 1;
    case 'd': return b->dry_run = 1;
    case 't':
        if (!cli_integer("--threads", optarg, 1, 1024, &n)) return 0;
        b->run.threads = (uint32_t)n;
        return 1;
    case 'i': return simd_parse(b, optarg);
    case 'M': return memory_take(b, optarg);
    case 'j': return b->json = 1;
    case 'P': return b->plugin_path = optarg, 1;
    case 'R': return b->preset_path = optarg, 1;
    default: return 0;
    }
}

/* Answers CLI_END when all is well, else what cli_option_next said. */
static int options_read(struct bake *b, int argc, char **argv)
{
    int code;
    b->run.simd = UINT32_MAX;
    b->over.set = b->set;
    b->over.mute = b->mute;
    while ((code = cli_option_next(&command_bake, argc, argv)) != CLI_END) {
        if (code < 0 || !option_take(b, code)) return code < 0 ? code : CLI_BAD;
    }
    b->name = cli_operand(&command_bake, argc, argv, "a preset");
    if (!b->name) return CLI_BAD;
    if (b->force && b->fresh) {
        cli_usage("--force replaces the old bake and --new keeps it: give one of them");
        return CLI_BAD;
    }
    return CLI_END;
}

/* ---- the output folder ---- */

static int path_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* out/NAME, or the next free out/NAME_v002 with --new. New memory. */
static char *out_choose(const struct bake *b)
{
    char *base =
        b->out_given ? bw_strdup(b->out_given) : bw_printf("out/%s%s", b->preset->name, b->over.quick ? "_quick" : "");
    for (size_t n = base ? strlen(base) : 0; n > 1 && base[n - 1] == '/'; n--) base[n - 1] = '\0';
    if (!b->fresh || !base || !path_exists(base)) return base;
    char *free_one = NULL;
    for (int v = 2; v < 10000 && !free_one; v++) {
        free_one = bw_printf("%s_v%03d", base, v);
        if (!free_one) break;
        if (path_exists(free_one)) {
            bw_free(free_one);
            free_one = NULL;
        }
    }
    bw_free(base);
    return free_one;
}

static int folder_make(const char *path, struct bw_diag *d)
{
    char *copy = bw_strdup(path);
    int good = copy != NULL;
    for (char *c = copy ? copy + 1 : NULL; good; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = '\0';
        good = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *c = kept;
        if (!kept) break;
    }
    if (!good) bw_diag_error(d, NULL, BW_ERR_IO, "%s: can't be made: %s", path, strerror(errno));
    bw_free(copy);
    return good;
}

/* Held until the process ends, however it ends; two bakes in one folder would take each other's files away. A folder
 * that is not there yet, or a file system that knows no locks, is no reason to stop. */
static int folder_lock(struct bake *b)
{
    int fd = b->locked ? -1 : open(b->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 1;
    b->locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (b->locked || errno != EWOULDBLOCK) return 1;
    close(fd);
    bw_diag_error(&b->diag, NULL, BW_ERR_USAGE, "another bake is writing into %s: wait for it, or say --out DIR",
                  b->out);
    return 0;
}

static void up_to_date_say(struct bake *b)
{
    static const char *const what[] = {"movie", "picture", "cache"};
    char *path[3], frames[48];
    for (int i = 0; i < 3; i++) {
        path[i] = record_output(&b->record, b->out, what[i]);
        if (path[i]) {
            event_print(&b->progress, "output", json_pack("{s:s, s:s}", "what", what[i], "path", path[i]));
        }
    }
    if (!b->json) {
        const char *see = path[0] ? path[0] : path[1] ? path[1] : path[2];
        fprintf(stderr, "%s is up to date: %s%s%s (--force bakes it again)\n", b->out,
                cli_plural(b->facts.last - b->facts.first + 1, "frame", frames), see ? ", see " : "", see ? see : "");
    }
    for (int i = 0; i < 3; i++) bw_free(path[i]);
}

/* 1: go on, 0: there is nothing to do, -1: refused. */
static int record_decide(struct bake *b, const struct bw_node *resolved)
{
    b->record = record_read(b->out);
    if (!b->record.root || b->force) return 1;
    if (record_up_to_date(&b->record, &b->facts)) {
        up_to_date_say(b);
        return 0;
    }
    int32_t whole = record_whole(&b->record, b->out);
    if (!whole) return 1;
    static const char *const kind[2][2] = {{"an unfinished, different bake", "an unfinished bake of this preset"},
                                           {"a different bake", "a damaged bake of this preset"}};
    int same = record_matches(&b->record, &b->facts);
    char files[48];
    bw_diag_error(&b->diag, NULL, BW_ERR_USAGE, "%s holds %s, %s %s whole%s", b->out, kind[b->record.complete][same],
                  cli_plural(whole, "file", files), whole == 1 ? "is" : "are",
                  same ? ": --force bakes it anew, --new beside it, --out DIR elsewhere" : "");
    if (same) return -1;
    b->told = 1;
    if (b->diag.text) fputs(b->diag.text, stderr);
    record_explain(&b->record, &b->facts, resolved);
    fputs("--force replaces it, --new bakes beside it, --out DIR elsewhere\n", stderr);
    return -1;
}

/* ---- running ---- */

static _Atomic int stop_asked; // lock-free, so the handler may set it

/* The first signal asks; SA_RESETHAND lets a second one kill. */
static void stop_ask(int number)
{
    static const char words[] = "\nstopping; once more to kill\n";
    (void)number;
    stop_asked = 1;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) return;
}

static void signals_catch(void)
{
    struct sigaction act = {.sa_handler = stop_ask, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static char *resolved_text(const struct bw_node *resolved, const struct bake_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return NULL;
    fprintf(memory, "# %s as Billow %s baked it, every value in full; preset hash %s, SIMD level %s.\n", f->name,
            BW_VERSION, f->hash, f->simd);
    bw_node_write(resolved, memory);
    fclose(memory);
    return text;
}

static void notes_tell(struct bake *b, int whole)
{
    static const char *const note[] = {"resolved.yaml", "bake.log", "bake.json"};
    for (int i = 0; i < 3; i++) journal_add(&b->progress.journal, note[i], whole); // what fails is told by a frame
}

static int notes_begin(struct bake *b, const struct bw_node *resolved)
{
    char *path, *text;
    if (!folder_make(b->out, &b->diag) || !folder_lock(b)) return 0;
    if (!record_clear(&b->record, b->out, &b->diag) || !journal_begin(&b->progress.journal, b->out, &b->diag)) return 0;
    notes_tell(b, 0);
    path = bw_printf("%s/resolved.yaml", b->out);
    text = resolved_text(resolved, &b->facts);
    int good = path && text && cli_write_file(path, text, &b->diag);
    free(text);
    bw_free(path);
    b->log_path = bw_printf("%s/.bake.log.part", b->out);
    if (good && b->log_path) b->progress.log = fopen(b->log_path, "w");
    if (b->progress.log) {
        time_t now = time(NULL);
        char date[40] = "";
        struct tm utc;
        if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
        fprintf(b->progress.log, "Billow %s, preset %s, hash %s, SIMD level %s, %s\n", BW_VERSION, b->facts.name,
                b->facts.hash, b->facts.simd, date);
    }
    return good && record_write(&b->facts, &b->progress, 0, &b->diag);
}

static void log_settle(struct bake *b)
{
    char *final = bw_printf("%s/bake.log", b->out);
    if (b->progress.log && final) {
        if (b->diag.text) fputs(b->diag.text, b->progress.log);
        fflush(b->progress.log);
        fsync(fileno(b->progress.log));
        fclose(b->progress.log);
        b->progress.log = NULL;
        if (rename(b->log_path, final)) remove(b->log_path);
    }
    bw_free(final);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The chain runs; whatever comes of it, log and record are written. */
static enum bw_status bake_run(struct bake *b)
{
    double start = seconds_now();
    char frames[48], bytes[24], seconds[24];
    enum bw_status status = bw_chain_run(b->chain, &b->diag);
    progress_break(&b->progress);
    log_settle(b);
    notes_tell(b, 1);
    int noted = record_write(&b->facts, &b->progress, status == BW_OK, &b->diag);
    if (noted) journal_end(&b->progress.journal, b->out);
    if (status == BW_OK && !noted) status = b->diag.status;
    if (status != BW_OK || b->json) return status;
    struct bake_record done = record_read(b->out);
    fprintf(stderr, "%s: %s, %s in %s\n", b->out, cli_plural(b->facts.last - b->facts.first + 1, "frame", frames),
            cli_bytes(record_bytes(&done, b->out), bytes), cli_duration(seconds_now() - start, seconds));
    record_free(&done);
    closing_print(&b->progress, &b->facts);
    return status;
}

static void start_event(const struct bake *b)
{
    event_print(&b->progress, "start",
                json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:f}", "preset", b->facts.name, "hash", b->facts.hash,
                          "version", BW_VERSION, "simd", b->facts.simd, "out", b->out, "first",
                          (json_int_t)b->facts.first, "last", (json_int_t)b->facts.last, "fps", b->preset->time.fps));
}

static void facts_fill(struct bake *b)
{
    static const char *const level[] = {"baseline", "avx2", "avx512"};
    uint32_t simd = b->run.simd == UINT32_MAX ? bw_simd_best() : b->run.simd;
    b->facts = (struct bake_facts){.out = b->out,
                                   .name = b->preset->name,
                                   .hash = bw_chain_hash(b->chain),
                                   .simd = level[simd < 3 ? simd : 0],
                                   .first = b->preset->time.write_first,
                                   .last = b->preset->time.write_last};
    build_hash(b->preset, b->registry, b->facts.build);
}

static enum bw_status bake_decide_and_run(struct bake *b)
{
    struct bw_node *resolved = bw_chain_resolved(b->chain);
    enum bw_status status = BW_OK;
    int go = resolved && folder_lock(b) ? record_decide(b, resolved) : -1;
    if (!resolved) bw_diag_error(&b->diag, NULL, BW_ERR_MEMORY, "out of memory");
    if (go > 0 && !b->force) go = estimate_check(b->chain, b->preset, &b->diag) == BW_OK;
    if (go > 0) {
        signals_catch();
        if (notes_begin(b, resolved)) {
            start_event(b);
            status = bake_run(b);
        }
    }
    bw_node_free(resolved);
    return status ? status : b->diag.status;
}

/* The other bake that this one goes on from is made first, and the preset read again with its files. */
static enum bw_status source_take(struct bake *b)
{
    struct source_wish wish = {b->preset, b->out, b->run.threads, b->over.quick, b->dry_run};
    enum bw_status status = source_make(&wish, &b->source, &b->diag);
    if (status || !b->source || !list_add(b->set, &b->over.n_set, "--set", b->source)) return status;
    bw_preset_free(b->preset);
    b->preset = cli_preset_load(b->name, b->preset_path, &b->over, &b->diag);
    return b->diag.status;
}

static enum bw_status bake_prepare(struct bake *b)
{
    b->registry = cli_registry_open(b->plugin_path);
    if (!b->registry) return BW_ERR_MEMORY;
    b->preset = cli_preset_load(b->name, b->preset_path, &b->over, &b->diag);
    if (!b->preset) return b->diag.status;
    b->out = out_choose(b);
    if (!b->out)
        return bw_diag_error(&b->diag, NULL, BW_ERR_MEMORY, "no folder name is free beside out/%s", b->preset->name);
    if (b->preset->frames_bake && source_take(b)) return b->diag.status;
    if (source_check(b->preset, b->out, &b->diag)) return b->diag.status;
    b->run.out = b->out;
    b->run.cancel = &stop_asked;
    progress_attach(&b->progress, &b->run);
    b->chain = bw_chain_create(b->preset, b->registry, &b->run, &b->diag);
    if (b->chain) facts_fill(b);
    return b->diag.status;
}

static void bake_free(struct bake *b)
{
    bw_chain_free(b->chain);
    bw_preset_free(b->preset);
    if (b->registry) bw_registry_close(b->registry);
    record_free(&b->record);
    progress_free(&b->progress);
    bw_free(b->source);
    bw_free(b->log_path);
    bw_free(b->out);
}

int cmd_bake(int argc, char **argv)
{
    struct bake b = {0};
    int code = options_read(&b, argc, argv);
    if (code != CLI_END) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
    progress_init(&b.progress, b.json);
    enum bw_status status = bake_prepare(&b);
    if (status == BW_OK && b.dry_run) {
        estimate_print(b.chain, b.preset, b.out);
    } else if (status == BW_OK) {
        status = bake_decide_and_run(&b);
    }
    event_print(
        &b.progress, "end",
        json_pack("{s:b, s:i, s:s?}", "ok", status == BW_OK, "code", cli_exit_code(status), "message", b.diag.first));
    if (b.diag.text && !b.told) fputs(b.diag.text, stderr);
    bw_diag_free(&b.diag);
    bake_free(&b);
    return cli_exit_code(status);
}
