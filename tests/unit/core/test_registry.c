// SPDX-License-Identifier: Apache-2.0
/* The loader against plugins that are broken on purpose: each one clear line, and the listing goes on. */
#define _GNU_SOURCE // memmem
#include "support.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/broken_plugins", getenv("BILLOW_TEST_BUILD"));
    return path;
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define MINOR TEXT(BW_ABI_MINOR)

/* File, and words that the one line about it must hold. */
static const struct {
    const char *file, *words;
} broken[] = {
    {"wrong_magic", "magic"},
    {"other_major", "built for plugin interface 1." MINOR ", this Billow has 0." MINOR},
    {"newer_minor", ", this Billow has only 0." MINOR ": update Billow"},
    {"older", ", this Billow has 0." MINOR ": rebuild the plugin"},
    {"no_symbol", "exports no billow_module"},
    {"undefined", "nobody_defines_this"},
    {"param_outside", "parameter \"rate\" lies outside its struct (offset 4000 of 16 bytes)"},
    {"param_half_outside", "parameter \"rate\" lies outside its struct (offset 8 of 16 bytes)"},
    {"param_twice", "parameter \"rate\" is there twice"},
    {"sub_outside", "parameter \"x\" lies outside its struct"},
    {"self_nested", "cannot be that large or deep"},
    {"null_step", "has no step callback"},
    {"null_frame", "has no frame callback"},
    {"bad_id", "no usable id, \""},
    {"id_twice", "broken is there twice"},
    {"null_stages", "announces entries but points at none"},
    {"null_params", "announces 1 parameters but points at none"},
    {"null_attributes", "port \"grains\" has an attribute"},
    {"sizes", "sizes that cannot be"},
    {"empty", "neither stages nor exporters"},
    {"bad_port", "port \"density\" has an unknown kind"},
    {"symbol_is_code", "magic"},
    {"null_stage", "stage 2 is a null pointer"},
};

static const struct bw_broken *find(const struct bw_registry *r, const char *file)
{
    char end[128];
    snprintf(end, sizeof end, "/%s.so", file);
    for (int32_t i = 0; i < r->n_broken; i++) {
        size_t n = strlen(r->broken[i].path), m = strlen(end);
        if (n > m && !strcmp(r->broken[i].path + n - m, end)) return &r->broken[i];
    }
    return NULL;
}

Test(registry, every_broken_plugin_is_one_clear_line)
{
    int64_t live = bw_alloc_live();
    struct bw_registry *r = bw_registry_open(folder());
    cr_assert_not_null(r);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const struct bw_broken *b = find(r, broken[i].file);
        cr_assert(b, "%s.so was not refused", broken[i].file);
        cr_assert(strstr(b->why, broken[i].words), "%s: %s", broken[i].file, b->why);
        cr_assert(strstr(b->why, broken[i].file), "names its file: %s", b->why);
        cr_assert_null(strchr(b->why, '\n'), "one line: %s", b->why);
    }
    cr_assert_eq((size_t)r->n_broken, sizeof broken / sizeof *broken);
    cr_assert_eq(r->n_entries, 1, "the good one");
    bw_registry_close(r);
    cr_assert_eq(bw_alloc_live(), live);
}

Test(registry, the_first_id_wins_and_the_other_is_reported)
{
    struct bw_registry *r = bw_registry_open(folder());
    const struct bw_entry *e = bw_registry_stage(r, "broken.same");
    cr_assert_not_null(e);
    cr_assert(strstr(e->path, "a_good.so"), "%s", e->path);
    cr_assert(e->shadows && strstr(e->shadows, "later_same_id.so"));
    bw_registry_close(r);
}

Test(registry, a_folder_named_twice_shadows_nothing)
{
    char twice[1100];
    const char *build = getenv("BILLOW_TEST_BUILD");
    snprintf(twice, sizeof twice, "%s/plugins/fire:/nowhere/at/all::%s/plugins/fire", build, build);
    struct bw_registry *r = bw_registry_open(twice);
    const struct bw_entry *e = bw_registry_stage(r, "fire");
    cr_assert(e && !e->shadows);
    bw_registry_close(r);
}

static void file_write(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* Cut a good file at every sixteenth: the headers, then sections that the loader maps. */
Test(registry, truncated_empty_and_foreign_files)
{
    char good[600], bad[64], *bytes = calloc(1, 1 << 20), dir[] = "/tmp/billow-so-XXXXXX";
    cr_assert_not_null(mkdtemp(dir));
    snprintf(good, sizeof good, "%s/a_good.so", folder());
    FILE *f = fopen(good, "rb");
    cr_assert_not_null(f);
    size_t n = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    cr_assert(n > 4096 && n < 1 << 20);
    snprintf(bad, sizeof bad, "%s/cut.so", dir);
    for (size_t keep = 0; keep < 2048; keep += 128) {
        file_write(bad, bytes, keep);
        struct bw_diag d = {0};
        struct bw_registry *r = bw_registry_open("");
        cr_assert_eq(bw_registry_load(r, bad, &d), BW_ERR_PLUGIN, "%zu bytes", keep);
        cr_assert(d.first && strstr(d.first, "cut.so") && !strchr(d.first, '\n'), "%s", d.first);
        bw_diag_free(&d);
        bw_registry_close(r);
    }
    for (int i = 0; i < 2; i++) {
        file_write(bad, i ? "" : "#!/bin/sh\necho not a plugin\n", i ? 0 : 27);
        struct bw_registry *r = bw_registry_open(dir);
        cr_assert_eq(r->n_broken, 1);
        cr_assert_eq(r->n_entries, 0);
        bw_registry_close(r);
    }
    unlink(bad);
    rmdir(dir);
    free(bytes);
}

/* A file of half its size has headers that promise more than there is: touching what is missing would be a bus
 * error. */
Test(registry, a_plugin_cut_behind_its_headers)
{
    char good[600], bad[] = "/tmp/billow-cut-XXXXXX.so", *bytes = calloc(1, 1 << 20);
    snprintf(good, sizeof good, "%s/a_good.so", folder());
    FILE *f = fopen(good, "rb");
    cr_assert_not_null(f);
    size_t n = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    int fd = mkstemps(bad, 3);
    cr_assert_geq(fd, 0);
    for (int part = 1; part < 8; part++) {
        cr_assert_eq(ftruncate(fd, 0), 0);
        cr_assert_eq(pwrite(fd, bytes, n * (size_t)part / 8, 0), (ssize_t)(n * (size_t)part / 8));
        struct bw_diag d = {0};
        struct bw_registry *r = bw_registry_open("");
        enum bw_status st = bw_registry_load(r, bad, &d);
        cr_assert(st == BW_OK || (st == BW_ERR_PLUGIN && d.first), "%d eighths", part);
        bw_diag_free(&d);
        bw_registry_close(r);
    }
    close(fd);
    unlink(bad);
    free(bytes);
}

/* What `billow plugin validate` asks of strangers. */
Test(registry, everything_of_ours_says_how_its_state_is_kept)
{
    struct bw_registry *r = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    cr_assert_gt(r->n_entries, 35);
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_stage_desc *s = r->entry[i].stage;
        const struct bw_exporter_desc *x = r->entry[i].exporter;
        const bool plain = s ? s->flags & BW_STAGE_PLAIN_STATE : x->flags & BW_EXPORTER_PLAIN_STATE;
        const bool rebuilt = s ? s->flags & BW_STAGE_REBUILT_STATE : x->flags & BW_EXPORTER_REBUILT_STATE;
        const bool saves = s ? s->checkpoint != NULL : x->checkpoint != NULL;
        const uint32_t size = s ? s->state_size : x->state_size;
        cr_expect(!size || plain || rebuilt || saves, "%s keeps nothing", r->entry[i].id);
        cr_expect(!rebuilt || (!plain && !saves), "%s keeps what it says is rebuilt", r->entry[i].id);
    }
    bw_registry_close(r);
}

static enum bw_status step_nothing(struct bw_stage *s)
{
    (void)s;
    return BW_OK;
}

/* Seven floors of eight rooms, each with the whole floor below it: two million rows by 56. */
Test(registry, tables_of_the_same_tables_have_an_end)
{
    enum { FLOORS = 7, ROOMS = 8 };
    static const char *const key[ROOMS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct bw_param row[FLOORS][ROOMS];
    for (int i = 0; i < FLOORS; i++)
        for (int k = 0; k < ROOMS; k++)
            row[i][k] = i ? (struct bw_param){.key = key[k],
                                              .type = BW_PARAM_GROUP,
                                              .n_sub = ROOMS,
                                              .sub = row[i - 1],
                                              .sub_size = 8}
                          : (struct bw_param){.key = key[k], .type = BW_PARAM_BOOL};
    const struct bw_stage_desc stage = {
        .id = "tower", .params = row[FLOORS - 1], .n_params = ROOMS, .params_size = 8, .step = step_nothing};
    const struct bw_stage_desc *const stages[] = {&stage};
    const struct bw_module module = BW_MODULE(stages);
    struct bw_registry *r = bw_registry_open("");
    struct bw_diag d = {0};
    cr_assert_eq(bw_registry_add(r, &module, "tower.so", &d), BW_ERR_PLUGIN);
    cr_assert(strstr(d.first, "cannot be that large or deep"), "%s", d.first);
    bw_diag_free(&d);
    bw_registry_close(r);
}
