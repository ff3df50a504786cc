// SPDX-License-Identifier: Apache-2.0
/* `billow check`: a preset without running it (form, values, wiring), or a finished cache: every frame there, every
 * file readable to its end, the same grids in each. */
#include "cli.h"

#include "base/alloc.h"
#include <common/openvdb/bwvdb.h>
#include "run/run.h"
#include <dirent.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "check with this value changed (any number of times)", 's'},
    CLI_PATH_OPTIONS,
};

const struct cli_command command_check = {
    .name = "check",
    .synopsis = "PRESET|FOLDER [options]",
    .brief = "Check a preset without running it, or a finished cache.",
    .details =
        "A preset: form, values and wiring, with file:line:column for each mistake.\n"
        "A folder that a bake wrote, or any folder with a VDB sequence: no gap, each file whole, the same grids.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_check,
};

/* ---- a cache ---- */

struct frame_file {
    char *path, *stem; /* stem: the path up to the number */
    long long number;
};

struct cache {
    struct frame_file *file;
    size_t n;
    int bad;
};

static void cache_add(struct cache *c, const char *folder, const char *name)
{
    size_t n = strlen(name), digits = 0;
    if (n < 5 || strcmp(name + n - 4, ".vdb") || name[0] == '.') return;
    while (digits < n - 4 && name[n - 5 - digits] >= '0' && name[n - 5 - digits] <= '9') digits++;
    struct frame_file *grown = digits ? bw_realloc(c->file, (c->n + 1) * sizeof *grown) : NULL;
    if (!grown) return;
    c->file = grown;
    c->file[c->n++] =
        (struct frame_file){bw_printf("%s/%s", folder, name), bw_printf("%s/%.*s", folder, (int)(n - 4 - digits), name),
                            strtoll(name + n - 4 - digits, NULL, 10)};
}

static void cache_scan(struct cache *c, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) cache_add(c, folder, e->d_name);
    if (dir) closedir(dir);
}

static int frame_compare(const void *a, const void *b)
{
    const struct frame_file *x = a, *y = b;
    int stem = strcmp(x->stem, y->stem);
    return stem ? stem : (x->number > y->number) - (x->number < y->number);
}

static void cache_complain(struct cache *c, const char *format, const char *path, const char *text)
{
    fprintf(stderr, format, path, text);
    fputc('\n', stderr);
    c->bad++;
}

/* Every grid is loaded: a file cut short fails here, not in the host. `names`: the first file's grids. */
static void file_check(struct cache *c, const struct frame_file *f, char **names)
{
    struct bwvdb_error why = {{0}};
    struct bwvdb_file *file = NULL;
    if (bwvdb_open(f->path, &file, &why) != BWVDB_OK) {
        cache_complain(c, "%s%s", "", why.text);
        return;
    }
    for (int32_t g = 0; g < bwvdb_count(file); g++) {
        if (bwvdb_grid_info(file, g)->comps && bwvdb_load(file, g, &why) != BWVDB_OK) {
            cache_complain(c, "%s%s", "", why.text);
            break;
        }
    }
    if (!*names) *names = bw_strdup(bwvdb_names(file));
    else if (strcmp(*names, bwvdb_names(file)))
        cache_complain(c, "%s: has other grids than the first frame: %s", f->path, bwvdb_names(file));
    bwvdb_close(file);
}

static void sequence_check(struct cache *c, size_t begin, size_t end)
{
    char *names = NULL;
    long long missing = 0;
    for (size_t i = begin; i < end; i++) {
        long long gap = i > begin ? c->file[i].number - c->file[i - 1].number - 1 : 0;
        if (gap > 0) {
            fprintf(stderr, "%s####.vdb: frames %lld-%lld are missing\n", c->file[i].stem, c->file[i - 1].number + 1,
                    c->file[i].number - 1);
            c->bad++;
            missing += gap;
        }
        file_check(c, &c->file[i], &names);
    }
    printf("%s####.vdb: frames %lld-%lld, %zu files, %lld missing, grids %s\n", c->file[begin].stem,
           c->file[begin].number, c->file[end - 1].number, end - begin, missing, names ? names : "unknown");
    bw_free(names);
}

/* Against bake.json: what was promised. */
static void promise_check(struct cache *c, const char *folder)
{
    char *path = bw_printf("%s/bake.json", folder);
    json_t *note = path ? json_load_file(path, 0, NULL) : NULL, *frames = json_object_get(note, "frames");
    if (note && !json_is_true(json_object_get(note, "complete"))) {
        cache_complain(c, "%s: %s", folder, "the bake did not come to its end");
    }
    if (frames && c->n) {
        long long first = json_integer_value(json_array_get(frames, 0)),
                  last = json_integer_value(json_array_get(frames, 1));
        for (size_t i = 0; i < c->n; i++) {
            int starts = !i || strcmp(c->file[i].stem, c->file[i - 1].stem) != 0;
            int ends = i + 1 == c->n || strcmp(c->file[i].stem, c->file[i + 1].stem) != 0;
            if (starts && c->file[i].number != first)
                cache_complain(c, "%s: %s", c->file[i].stem, "the first frames are missing");
            if (ends && c->file[i].number != last)
                cache_complain(c, "%s: %s", c->file[i].stem, "the last frames are missing");
        }
    }
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(note, "files"), i, name) {
        struct stat st;
        char *file = bw_printf("%s/%s", folder, json_string_value(name));
        if (file && stat(file, &st) != 0) cache_complain(c, "%s: %s", file, "is missing");
        bw_free(file);
    }
    json_decref(note);
    bw_free(path);
}

static int cache_check(const char *folder)
{
    struct cache c = {0};
    char *below = bw_printf("%s/vdb", folder);
    cache_scan(&c, folder);
    if (below) cache_scan(&c, below);
    bw_free(below);
    if (c.n) qsort(c.file, c.n, sizeof *c.file, frame_compare);
    else cache_complain(&c, "%s: %s", folder, "holds no numbered .vdb file, nor does its folder vdb");
    for (size_t begin = 0, i = 1; c.n && i <= c.n; i++) {
        if (i < c.n && !strcmp(c.file[i].stem, c.file[begin].stem)) continue;
        sequence_check(&c, begin, i);
        begin = i;
    }
    promise_check(&c, folder);
    for (size_t i = 0; i < c.n; i++) {
        bw_free(c.file[i].path);
        bw_free(c.file[i].stem);
    }
    bw_free(c.file);
    return c.bad ? EXIT_CODE_FAILURE : EXIT_CODE_OK;
}

/* ---- a preset ---- */

static int preset_check(const char *name, const char *plugin_path, const char *preset_path,
                        const struct bw_preset_overrides *over)
{
    struct bw_diag d = {0};
    struct bw_registry *r = cli_registry_open(plugin_path);
    if (!r) return 7;
    struct bw_preset *p = cli_preset_load(name, preset_path, over, &d);
    char *out = p ? bw_printf("out/%s", p->name) : NULL;
    struct bw_run_options run = {.out = out, .simd = UINT32_MAX};
    struct bw_chain *c = out ? bw_chain_create(p, r, &run, &d) : NULL;
    int good =
        c && (p->frames_bake || bw_chain_check(c, &d) == BW_OK); // files that another bake will make are not there
    if (good) {
        char frames[48], bytes[24];
        printf("%s: good, %d stages, %s, up to %s of memory\n", p->path, (int)p->n_stages,
               cli_plural(p->time.write_last - p->time.write_first + 1, "frame", frames),
               cli_bytes(bw_chain_memory_estimate(c), bytes));
    }
    bw_chain_free(c);
    bw_free(out);
    bw_preset_free(p);
    bw_registry_close(r);
    return cli_report(&d);
}

int cmd_check(int argc, char **argv)
{
    const char *plugin_path = NULL, *preset_path = NULL, *set[256];
    struct bw_preset_overrides over = {.set = set};
    struct stat st;
    int code;
    while ((code = cli_option_next(&command_check, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
        if (code == 'R') preset_path = optarg;
        if (code == 's' && over.n_set < 256) set[over.n_set++] = optarg;
    }
    const char *name = cli_operand(&command_check, argc, argv, "a preset or a folder");
    if (!name) return EXIT_CODE_USAGE;
    if (stat(name, &st) == 0 && S_ISDIR(st.st_mode)) return cache_check(name);
    return preset_check(name, plugin_path, preset_path, &over);
}
