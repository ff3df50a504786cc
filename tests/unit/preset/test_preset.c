// SPDX-License-Identifier: Apache-2.0
/* Presets: the design's example, domains and their sides, extends, --set, and the sentence for each kind of mistake. */
#include "base/alloc.h"
#include "preset/values/params.h"
#include "preset/preset.h"
#include "folder.h"
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "billow: 1\ndomain: {cells: [32, 32, 32], voxel: 1 cm}\n"

TestSuite(preset, .init = folder_make, .fini = folder_remove);

static const char *file_write(const char *name, const char *text)
{
    static char path[128];
    FILE *f = file_new(name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    fputs(text, f);
    fclose(f);
    return path;
}

static struct bw_preset *load_with(const char *text, const struct bw_preset_overrides *o, struct bw_diag *d)
{
    return bw_preset_load(file_write("a.yaml", text), o, d);
}

static struct bw_preset *good_with(const char *text, const struct bw_preset_overrides *o)
{
    struct bw_diag d = {0};
    struct bw_preset *p = load_with(text, o, &d);
    cr_assert_not_null(p, "%s", d.text);
    return p;
}

static struct bw_preset *good(const char *text) { return good_with(text, NULL); }

static void refused_with(const char *text, const struct bw_preset_overrides *o, const char *sentence)
{
    struct bw_diag d = {0};
    struct bw_preset *p = load_with(text, o, &d);
    cr_expect_null(p, "accepted: %s", text);
    cr_expect(d.first && strstr(d.first, sentence), "%s\ngot: %s\nwanted: %s", text, d.first, sentence);
    bw_preset_free(p);
    bw_diag_free(&d);
    cr_expect_eq(bw_alloc_live(), 0);
}

static void refused(const char *text, const char *sentence) { refused_with(text, NULL, sentence); }

static void refused_set(const char *set, const char *sentence)
{
    struct bw_preset_overrides o = {.set = &set, .n_set = 1};
    refused_with(HEAD "stages:\n  - emit: {id: logs, shape: {sphere: {}}}\n  - mac.project: {}\n", &o, sentence);
}

static const char campfire[] = "# A campfire: watch the flame lick and detach. About a minute.\n"
                               "billow: 1\n"
                               "name: campfire\n"
                               "domain: {size: [1.2 m, 1.2 m, 2 m], center: [0, 0], floor: 0, voxel: 1.25 cm, sides: "
                               "{bottom: closed, rest: open}}\n"
                               "time:   {fps: 24, frames: 1001-1096, warmup: 24, substeps: auto, cfl: 3, seed: 7}\n"
                               "limits: {memory: 12 GiB}\n"
                               "fields: {dye: {kind: vector, advect: true}}\n"
                               "stages:\n"
                               "  - emit: {id: logs, frames: 1001-1080, mode: max, inherit_velocity: 1,\n"
                               "           shape: {sphere: {center: [0, 0, 0.15], radius: 12 cm}},\n"
                               "           fuel: {keys: {1001: 0, 1012: 1}, ease: smooth},\n"
                               "           temperature: \"=900 + 60*sin(2*pi*3*t)\"}\n"
                               "  - emit: {id: coals, enabled: false, density: 0.4 1/s, shape: {mesh: {path: "
                               "\"geo/coals.####.obj\", up: y, scale: 0.01}}}\n"
                               "  - mac.advect:  {scheme: maccormack, bind: {density: dye}}\n"
                               "  - mac.project: {tolerance: 1e-4}\n"
                               "  - mac.project: {}\n"
                               "  - mac.project:\n"
                               "export:\n"
                               "  - vdb: {fields: [density, temperature, flame, vel], up: z, scale: 1}\n"
                               "  - mp4: {view: render}\n";

Test(preset, example_of_the_design)
{
    struct bw_preset *p = good(campfire);
    const struct bw_domain_info *info = &p->domain[0].info;
    cr_expect(info->n[0] == 96 && info->n[1] == 96 && info->n[2] == 160 && info->thin == -1 && info->tile[0] == 16);
    cr_expect(fabs(info->origin[0] + 0.6) < 1e-12 && info->origin[2] == 0 && fabs(info->h - 0.0125) < 1e-15);
    cr_expect(info->side[4].kind == BW_CLOSED && info->side[5].kind == BW_OPEN && info->side[0].kind == BW_OPEN);
    cr_expect(!strcmp(info->name, "main") && p->domain[0].margin == 6 && info->size == sizeof *info);
    cr_expect(p->time.first == 1001 && p->time.last == 1096 && p->time.write_last == 1096 && p->time.warmup == 24 &&
              p->time.seed == 7);
    cr_expect(p->time.substeps_min == 1 && p->time.substeps_max == 64 && p->time.dt == 0 && p->time.cfl == 3);
    cr_expect(p->memory_limit == 12.0 * (1 << 30) && p->ambient == 293.15 && !strcmp(p->name, "campfire"));
    cr_expect(p->n_fields == 1 && p->field[0].kind == BW_VECTOR && p->field[0].advect == 1 &&
              p->field[0].precision == -1);
    cr_assert(p->n_stages == 6 && p->n_exports == 2);
    cr_expect(!strcmp(p->stage[0].id, "logs") && !strcmp(p->stage[0].type, "emit") && p->stage[0].frame_to == 1080);
    cr_expect(p->stage[0].enabled == 1 && p->stage[1].enabled == 0 && isinf(p->stage[1].frame_from));
    cr_expect(!strcmp(p->stage[2].id, "mac.advect") && !strcmp(bw_node_get(p->stage[2].bind, "density")->text, "dye"));
    cr_expect(!strcmp(p->stage[4].id, "mac.project_2") && !strcmp(p->stage[5].id, "mac.project_3"));
    cr_expect(p->stage[0].place.line == 9 && p->stage[0].place.column == 5);
    cr_expect(!strncmp(p->comment, "A campfire: watch", 17) && p->n_files == 1 && !strcmp(p->dir, folder));
    bw_preset_free(p);
    cr_expect_eq(bw_alloc_live(), 0);
}

Test(preset, domains)
{
    struct bw_preset *p =
        good("billow: 1\ndomain: {size: [64 cm, 1 cm, 63.5 cm], voxel: 1 cm, floor: -1, center: [2, 0],\n"
             "  sides: {top: {inflow: [0, 0, -1]}, left: periodic, x+: periodic, bottom: {closed: {slip: no, velocity: "
             "[1, 0, 0]}}}}");
    const struct bw_domain_info *i = &p->domain[0].info;
    cr_expect(i->n[0] == 64 && i->n[1] == 1 && i->n[2] == 64 && i->thin == 1);
    cr_expect(i->tile[0] == 64 && i->tile[1] == 1 && i->tile[2] == 64 && i->origin[2] == -1 &&
              fabs(i->origin[0] - 1.68) < 1e-12);
    cr_expect(i->side[0].kind == BW_PERIODIC && i->side[1].kind == BW_PERIODIC && i->side[2].kind == BW_CLOSED);
    cr_expect(i->side[5].kind == BW_INFLOW && i->side[5].velocity[2] == -1 && i->side[4].no_slip == 1 &&
              i->side[4].velocity[0] == 1);
    bw_preset_free(p);
    p = good("billow: 1\ndomains: {near: {cells: [8, 8, 8], size: [1, 1, 1], origin: [1, 2, 3]}, far: {size: none, "
             "voxel: 0.5}}\n"
             "stages: [{emit: {domain: far}}]");
    cr_assert_eq(p->n_domains, 2);
    cr_expect(p->domain[0].info.h == 0.125 && p->domain[0].info.origin[1] == 2 && p->domain[1].info.n[0] == 0);
    cr_expect(!strcmp(p->stage[0].domain, "far") && p->domain[1].info.thin == -1);
    bw_preset_free(p);
}

Test(preset, overrides)
{
    const char *const set[] = {"stages.mac.project.tolerance=1e-3",
                               "stages.logs.shape.sphere.radius=5 cm",
                               "export.vdb.up=y",
                               "exports.mp4.enabled=no",
                               "stages.coals.shape={box: {size: [1, 1, 1]}}",
                               "stages.logs.colour=#ff8000",
                               "stages.mac.project_2.tolerance=2",
                               "time.substeps=[1, 8]"};
    const char *const mute[] = {"coals", "mac.advect"};
    struct bw_preset_overrides o = {.set = set,
                                    .n_set = 8,
                                    .mute = mute,
                                    .n_mute = 2,
                                    .frames = "1010-1120",
                                    .has_seed = 1,
                                    .seed = 18446744073709551ull,
                                    .memory = "1G",
                                    .coarse = 2};
    struct bw_preset *p = good_with(campfire, &o);
    cr_expect_str_eq(bw_node_get(p->stage[3].node, "tolerance")->text, "1e-3");
    cr_expect_str_eq(bw_node_get(p->stage[4].node, "tolerance")->text, "2");
    cr_expect_str_eq(bw_node_get(p->stage[0].node, "colour")->text, "#ff8000");
    cr_expect_str_eq(bw_node_get(bw_node_get(bw_node_get(p->stage[0].node, "shape"), "sphere"), "radius")->text,
                     "5 cm");
    cr_expect(p->stage[1].enabled == 0 && p->stage[2].enabled == 0 && p->stage[0].enabled == 1 &&
              p->export[1].enabled == 0);
    cr_expect(p->time.first == 1001 && p->time.last == 1096 && p->time.write_first == 1010 &&
              p->time.write_last == 1120);
    cr_expect(p->time.seed == 18446744073709551ull && p->memory_limit == (double)(1 << 30) &&
              p->time.substeps_max == 8);
    cr_expect(p->domain[0].info.n[0] == 48 && fabs(p->domain[0].info.h - 0.025) < 1e-15);
    bw_preset_free(p);
}

Test(preset, mistakes_in_overrides)
{
    refused_set("domain.voxl=1 cm", "--set:1:8: domain: unknown key \"voxl\"; did you mean \"voxel\"?");
    refused_set("domain.voxel=3 kg", "--set:1:14: domain: voxel: \"3 kg\" is a mass (kg)");
    refused_set("stages.lags.mode=max", "--set:1:8: nothing here has the id \"lags\"; did you mean \"logs\"?");
    refused_set("stages.logs=1", "--set:1:8: what of it?");
    refused_set("stages.mac.project=1", "what of it?");
    refused_set("domain", "--set:1:1: it has to be PATH.KEY=VALUE");
    refused_set("=3", "it has to be PATH.KEY=VALUE");
    refused_set("domain..x=3", "a key is empty");
    refused_set("domain.cells.7=3", "no such entry");
    refused_set("domain.cells=[1, 2", "--set:");
    refused_set("stages=3", "has to be a list");
    refused_set("stages.logs.id=mac.project", "id \"mac.project\" is given twice");
    struct bw_preset_overrides o = {.memory = "lots"};
    refused_with(HEAD, &o, "--memory:1:1: limits: memory wants a number, not \"lots\"");
    o = (struct bw_preset_overrides){.frames = "0-5"};
    refused_with(HEAD, &o, "--frames:1:1: frame 0 lies before the run's first frame, 1");
    const char *id = "smoke";
    o = (struct bw_preset_overrides){.mute = &id, .n_mute = 1};
    refused_with(HEAD, &o, "--mute: nothing here has the id \"smoke\"");
}

Test(preset, extends)
{
    file_write("c.yaml", campfire);
    file_write("b.yaml", "billow: 1\nextends: c\nambient: 300 K\n");
    struct bw_preset *p = good("# Mine.\nbillow: 1\nextends: b.yaml\ntime: {frames: 1-5}\nstages:\n"
                               "  - emit: {id: coals, enabled: true, shape: {box: {}}}\n"
                               "  - emit: {id: logs, fuel: {keys: {5: 1}}}\n"
                               "  - wind: {before: mac.advect}\n  - stats:\n  - set: {id: first, after: coals}\n"
                               "export:\n  - vdb: {up: y}\n");
    static const char *const order[] = {"logs",        "coals",         "first",         "wind", "mac.advect",
                                        "mac.project", "mac.project_2", "mac.project_3", "stats"};
    cr_assert_eq(p->n_stages, 9);
    for (int i = 0; i < 9; i++) cr_expect_str_eq(p->stage[i].id, order[i]);
    cr_expect(p->stage[1].enabled == 1 && p->ambient == 300 && p->time.first == 1 && p->time.warmup == 24);
    const struct bw_node *shape = bw_node_get(p->stage[1].node, "shape"), *fuel = bw_node_get(p->stage[0].node, "fuel");
    cr_expect(shape->count == 1 && !strcmp(shape->child[0]->key, "box"));
    cr_expect(fuel->count == 1 && bw_node_get(fuel, "keys")->count == 1);
    cr_expect(!strcmp(p->name, "a") && !strcmp(p->comment, "Mine.") && p->n_exports == 2 && p->n_files == 3);
    cr_expect(strstr(p->files[0], "c.yaml") && strstr(p->files[2], "a.yaml"));
    bw_preset_free(p);
    refused("billow: 1\nextends: b\nstages: [{wind: {before: nobody}}]",
            "a.yaml:3:26: before \"nobody\": nothing else");
    refused("billow: 1\nextends: b\nstages: [{set: {id: coals}}]", "in the preset that this one extends, not set");
    refused("billow: 1\nextends: nothing\n", "a.yaml:2:10: there is no preset \"nothing\" to extend");
    refused("billow: 1\nextends: a\n", "a.yaml:2:10: \"a\" extends itself");
    file_write("b.yaml", "billow: 1\nextends: a\n");
    refused("billow: 1\nextends: b\n", "b.yaml:2:10: \"a\" extends itself");
}

/* By Froude's law: times as the square root of lengths. */
Test(preset, scale)
{
    struct files {
        double larger, fps;
    };
    static const struct bw_param rows[] = {BW_F64(struct files, larger, "larger", "1", 0, 1e6, NULL, ""),
                                           BW_F64(struct files, fps, "fps", "0", 0, 1e6, NULL, "")};
    struct bw_preset *p = good(HEAD "scale: 4\ntime: {frames: 11-30, warmup: 3}\ncamera: {lens: {keys: {21: 1}}}\n"
                                    "stages:\n  - emit: {frames: 11-13, fuel: {keys: {11: 0, 12.5: 1}}}\n"
                                    "export:\n  - vdb: {scale: 100}\n  - mp4:\n");
    const struct bw_preset_time *t = &p->time;
    cr_expect(t->fps == 48 && t->first == 11 && t->last == 49 && t->warmup == 6 && t->files == 24 &&
              p->scaled.played == 24);
    cr_expect(p->stage[0].frame_from == 9 && p->stage[0].frame_to == 15, "what lasted 3 frames lasts 6");
    const struct bw_node *fuel = bw_node_get(bw_node_get(p->stage[0].node, "fuel"), "keys");
    cr_expect(bw_node_get(fuel, "11") && bw_node_get(fuel, "14"));
    const struct bw_node *lens = bw_node_get(bw_node_get(p->root, "camera"), "lens");
    cr_expect_not_null(bw_node_get(bw_node_get(lens, "keys"), "31"));
    cr_expect_null(bw_node_get(p->root, "scale"), "what is resolved would be scaled once more");
    for (int i = 0; i < 2; i++) {
        struct bw_node *map = NULL;
        cr_assert_eq(bw_preset_inherit_look(p, p->export[i].node, &(struct bw_table){rows, 2, false}, &map), BW_OK);
        cr_expect_str_eq(bw_node_get(map, "larger")->text, "4");
        cr_expect_str_eq(bw_node_get(map, "fps")->text, "24");
        cr_expect(i || !strcmp(bw_node_get(map, "scale")->text, "100"), "units a metre stay what they are");
        bw_node_free(map);
    }
    bw_preset_free(p);
    refused(HEAD "scale: 0\n", "a.yaml:3:8: scale is a number from 0.0001 to 10000");
    refused(HEAD "scale: 2 m\n", "a.yaml:3:8: scale is a number");
    refused(HEAD "scale: 2\nframes_from: x_####.vdb\n", "a.yaml:3:8: scale: frames that come from files");
}

/* Every moment is where it was: a charge of 5 frames in a warm-up of one burns its 5/24 s, not 6/33.9. */
Test(preset, scale_is_exact)
{
    static const double by = 1.4142135623730951;
    file_write("c.csv", "0,0,0\n4,0,0\n");
    struct bw_preset *p = good(HEAD "scale: 2\ntime: {frames: 1-48, warmup: 1}\nstages:\n"
                                    "  - emit: {frames: 0-4, fuel: \"=frame/fps + t*frames\", lift: {keys: {7: 1}}}\n"
                                    "  - set: {field: a, value: [\"frame\", \"2*fps\"]}\n"
                                    "  - collide: {way: {curve: c.csv, frames: 2-3}}\n");
    const struct bw_preset_time *t = &p->time;
    cr_expect_float_eq(t->warmup, by, 1e-12);
    cr_expect_float_eq(t->warmup / t->fps, 1.0 / 24, 1e-12);
    cr_expect_eq(bw_preset_begin(t), -1, "a part of a frame is one to begin with");
    cr_expect_float_eq((p->stage[0].frame_from - 1) / t->fps, -2 / 24.0, 1e-9);
    cr_expect_float_eq((p->stage[0].frame_to - 1) / t->fps, 3 / 24.0, 1e-9);
    cr_expect_str_eq(bw_node_get(p->stage[0].node, "fuel")->text, "=(1+(frame-1)/1.4142135623730951)/24 + t*frames");
    const struct bw_node *value = bw_node_get(p->stage[1].node, "value");
    cr_expect_str_eq(value->child[0]->text, "(1+(frame-1)/1.4142135623730951)");
    cr_expect_str_eq(value->child[1]->text, "2*24");
    const struct bw_node *way = bw_node_get(bw_node_get(p->stage[2].node, "way"), "keys");
    cr_assert(way && way->count >= 2);
    cr_expect_float_eq(strtod(way->child[0]->key, NULL), 1 + by, 1e-9);
    cr_expect_float_eq(strtod(way->child[way->count - 1]->key, NULL), 1 + 2 * by, 1e-9);
    bw_preset_free(p);
    p = good(HEAD
             "stages:\n  - emit: {frames: 1.5-3}\n  - emit: {id: b, frames: -2-7}\n  - emit: {id: c, frames: 5}\n");
    cr_expect(p->stage[0].frame_from == .5 && p->stage[0].frame_to == 3);
    cr_expect(p->stage[1].frame_from == -3 && p->stage[1].frame_to == 7);
    cr_expect(p->stage[2].frame_from == 4 && p->stage[2].frame_to == 5);
    bw_preset_free(p);
    refused(HEAD "stages:\n  - emit: {frames: 5-4}\n", "a.yaml:4:20: emit: frames wants FIRST-LAST");
    refused(HEAD "stages:\n  - emit: {frames: 1e3-2}\n", "frames wants FIRST-LAST");
    refused(HEAD "stages:\n  - emit: {frames: parts}\n", "frames wants FIRST-LAST");
}

/* What an exporter does not say itself comes from `look:`, of groups too; a list, or keys of a number, is one thing. */
Test(preset, looks_are_shared)
{
    struct flames {
        double crisp, sheets;
    };
    struct picture {
        struct flames camera, flames;
        double fire;
    };
    static const struct bw_param flames[] = {BW_F64(struct flames, crisp, "crisp", "1", 0, 10, NULL, ""),
                                             BW_F64(struct flames, sheets, "sheets", "0", 0, 10, NULL, "")};
    static const struct bw_param rows[] = {
        BW_GROUP(struct picture, camera, struct flames, "camera", flames, ""),
        BW_GROUP(struct picture, flames, struct flames, "flames", flames, ""),
        BW_F64(struct picture, fire, "fire", "1", 0, 10, NULL, ""),
    };
    struct bw_preset *p = good(HEAD "look: {flames: {crisp: 3, sheets: 2}, fire: {keys: {1: 4, 2: 5}}, ground: earth}\n"
                                    "stages: []\n"
                                    "export:\n  - mp4: {flames: {crisp: 1}, fire: {keys: {1: 7}}}\n  - png: {}\n");
    for (int i = 0; i < 2; i++) {
        struct bw_node *map = NULL;
        cr_assert_eq(bw_preset_inherit_look(p, p->export[i].node, &(struct bw_table){rows, BW_COUNT(rows), true}, &map),
                     BW_OK);
        const struct bw_node *f = bw_node_get(map, "flames"), *keys = bw_node_get(bw_node_get(map, "fire"), "keys");
        cr_expect_str_eq(bw_node_get(f, "crisp")->text, i ? "3" : "1");
        cr_expect_str_eq(bw_node_get(f, "sheets")->text, "2");
        cr_expect_eq(keys->count, i ? 2 : 1);
        cr_expect_null(bw_node_get(map, "ground"), "it has no such parameter");
        bw_node_free(map);
    }
    bw_preset_free(p);
}

Test(preset, refusals)
{
    refused("domain: {cells: [8, 8, 8], voxel: 1}", "a.yaml:1:1: preset: billow has to be given");
    refused("billow: 2\n", "reads presets of version 1, not 2");
    refused("billow: 1\n", "a preset needs a domain");
    refused("- a\n- b\n", "a preset has to be a map");
    refused(HEAD "stagse: []\n", "a.yaml:3:1: preset: unknown key \"stagse\"; did you mean \"stages\"?");
    refused(HEAD "time: {frmes: 1-2}\n", "did you mean \"frames\"?");
    refused(HEAD "time: {frames: 9-2}\n", "time: frames wants FIRST-LAST, like 1-100, not \"9-2\"");
    refused(HEAD "time: {fps: 0}\n", "time: fps: 0 is out of range: more than 0 is wanted");
    refused(HEAD "time: {substeps: [4, 2]}\n", "least first");
    refused(HEAD "time: {substeps: 4, dt: 0.1}\n", "substeps or dt");
    refused(HEAD "time: {substeps: [1, 2, 3]}\n", "time: substeps wants 1 to 2 values, not a list of 3");
    refused(HEAD "time: {substeps: atuo}\n", "time: substeps wants a number, not \"atuo\"");
    refused(HEAD "time: {cfl: {keys: {1: 3, 9: 4}}}\n", "time: cfl may not change with time");
    refused(HEAD "time: {seed: 10000000000000000000}\n",
            "time: seed: 1e+19 is out of range: at most 9.2e+18 is wanted");
    refused(HEAD "fields: {dye: {alive: -1}}\n", "dye: alive: -1 is out of range: at least 0 is wanted");
    refused(HEAD "stages: [{emit: {frames: soon}}]\n", "emit: frames wants FIRST-LAST, like 1-100, not \"soon\"");
    refused(HEAD "frames_from: {files: a, bake: b}\n", "frames_from wants exactly one kind");
    refused(HEAD "frames_from: plume.vdb\n", "a.yaml:3:14: frames_from wants files with #### for the number");
    refused("billow: 1\ndomain: {size: [1, 1, 1], voxel: 1 cm, center: 3}\n",
            "domain: center wants 2 values, not \"3\"");
    refused("billow: 1\ndomain: {size: none, cells: [8, 8, 8]}\n", "needs a voxel, and no cells");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1, sides: {top: {closed: {slipp: no}}}}\n",
            "closed: unknown key \"slipp\"; did you mean \"slip\"?");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1, sides: {top: opne}}\n", "did you mean \"open\"?");
    refused(HEAD "time: {seed: -1}\n", "time: seed: -1 is out of range: at least 0 is wanted");
    refused(HEAD "limits: {memory: 3 kg}\n", "limits: memory: \"3 kg\" is no amount of memory, like \"12 GiB\"");
    refused(HEAD "ambient: 0 K\n", "ambient: 0 K is out of range: more than 0 K is wanted");
    refused(HEAD "fields: {dye: {kind: vektor}}\n",
            "dye: kind can't be \"vektor\"; it is one of scalar|vector|mac|particles; did you mean \"vector\"?");
    refused(HEAD "stages: {emit: {}}\n", "stages has to be a list");
    refused(HEAD "stages: [{emit: {}, set: {}}]\n", "one name with its options");
    refused(HEAD "stages: [{emit: 3}]\n", "options of emit have to be a map");
    refused(HEAD "stages: [{emit: {id: x}}, {set: {id: x}}]\n",
            "a.yaml:3:38: id \"x\" is given twice; the first is in line 3");
    refused(HEAD "stages: [{emit: {domain: far}}]\n", "emit: domain can't be \"far\"; it is one of main");
    refused(HEAD "stages: [{emit: {enabled: 3}}]\n", "enabled wants true or false");
    refused(HEAD "stages: [{emit: {bind: {a: [1]}}}]\n", "emit: bind wants a text, not a list of 1");
    refused("billow: 1\ndomain: {size: [1, 1, 1]}\n", "exactly two of size, cells and voxel");
    refused("billow: 1\ndomain: {size: [1, 2, 1], voxel: 3 m}\n", "a voxel of 3 m is wider than the whole box");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 2 cm, origin: [0, 1e30, 0]}\n",
            "the box lies 1e+30 m off along y: with cells of 0.02 m, 3.5e+11 m is the most");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 2 cm, floor: -1e15}\n", "the box lies -1e+15 m off along z");
    refused("billow: 1\ndomain: {size: [1, 0, 1], voxel: 1}\n",
            "a.yaml:2:20: domain: size: 0 m is out of range: more than 0 m is wanted");
    refused("billow: 1\ndomain: {size: [1, 1, 1], voxel: -1 cm}\n",
            "voxel: -0.01 m is out of range: more than 0 m is wanted");
    refused("billow: 1\ndomain: {size: [1, 1], voxel: 1 cm}\n", "size wants three numbers [x, y, z]");
    refused("billow: 1\ndomain: {size: [20 km, 1, 1], voxel: 1 mm}\n",
            "cells along x: a whole number of at most 1048576");
    refused("billow: 1\ndomain: {cells: [1.5, 1, 1], voxel: 1}\n", "1.5 cells along x");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], size: [1, 1, 2]}\n", "do not give cubes");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1, sides: {top: periodic}}\n",
            "periodic sides come in pairs");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1, sides: {top: open, z+: open}}\n", "given twice");
    refused("billow: 1\ndomain: {cells: [8, 1, 8], voxel: 1, sides: {front: open}}\n", "one cell thick along y");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1, sides: {top: inflow}}\n",
            "top: inflow needs a value: {inflow: ...}");
    refused("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1}\ndomains: {a: {}}\n", "can't both be given");
    refused(HEAD HEAD, "\"billow\" is given twice");
    refused("a: [1, 2\n", "not readable as YAML");
    refused("a: 1\n%x\xff: 2\n", "a.yaml:2:1: a line can't begin with %");
    refused("a: 1\nb: x\xff\n", "a.yaml:2:5: a character that is no UTF-8 text");
}

Test(preset, find)
{
    struct bw_diag d = {0};
    file_write("c.yaml", campfire);
    char search[128];
    snprintf(search, sizeof search, "/nowhere:%s", folder);
    char *path = bw_preset_find("c", search, NULL, &d);
    cr_assert_not_null(path);
    cr_expect(strstr(path, "/c.yaml"));
    bw_free(path);
    cr_expect_null(bw_preset_find("cc", NULL, folder, &d));
    cr_expect_str_eq(d.first, "there is no preset \"cc\"; did you mean \"c\"?");
    bw_diag_free(&d);
    cr_expect_eq(bw_alloc_live(), 0);
}

/* A preset cut anywhere, or with any one byte changed, is read or refused, and gives all memory back. */
Test(preset, broken_text)
{
    char text[sizeof campfire];
    for (size_t i = 0; i < sizeof campfire - 1; i++) {
        memcpy(text, campfire, sizeof text);
        if (i % 2) {
            text[i] = "{}[]:,\"'#-&*\n x0"[i / 2 % 16];
        } else {
            text[i] = '\0';
        }
        struct bw_diag d = {0};
        struct bw_preset *p = load_with(text, NULL, &d);
        cr_expect((p != NULL) == (d.errors == 0), "at %zu: %s", i, d.text);
        bw_preset_free(p);
        bw_diag_free(&d);
        cr_assert_eq(bw_alloc_live(), 0, "at %zu", i);
    }
}

Test(preset, every_allocation_may_fail)
{
    const char *const set[] = {"stages.logs.shape.sphere.radius=5 cm", "export.mp4.view=slice"};
    struct bw_preset_overrides o = {.set = set, .n_set = 2, .frames = "1010-1020", .coarse = 2};
    file_write("c.yaml", campfire);
    const char *path = file_write(
        "a.yaml", "billow: 1\nextends: c\nscale: 2\nstages: [{wind: {before: logs}}, {emit: {id: logs, a: 1}}]\n");
    int64_t failed = 0;
    for (int64_t i = 0; i < 100000; i++) {
        struct bw_diag d = {0};
        bw_alloc_fail(i);
        struct bw_preset *p = bw_preset_load(path, &o, &d);
        int reached = bw_alloc_made() > i;
        bw_alloc_fail(-1);
        cr_expect(p || d.status, "allocation %lld failed in silence", (long long)i);
        failed += !p;
        bw_preset_free(p);
        bw_diag_free(&d);
        cr_assert_eq(bw_alloc_live(), 0, "allocation %lld", (long long)i);
        if (!reached) break;
    }
    cr_expect_gt(failed, 200);
}
