// SPDX-License-Identifier: Apache-2.0
/* What the programs of this folder share: checks that are counted, a small bake, cases by name, a folder to work in.
 * Each is one file and includes this once. */
#ifndef TESTS_LIBRARY_HOST_H
#define TESTS_LIBRARY_HOST_H

#include <billow/bake.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static _Atomic int passed, failed; // callbacks of two bakes count at once

static void check_at(int good, const char *what, int line)
{
    passed += good;
    failed += !good;
    if (!good) fprintf(stderr, "-- failed, line %d: %s\n   last error: %s\n", line, what, bw_error_last()->sentence);
}
#define CHECK(condition) check_at(!!(condition), #condition, __LINE__)

static const char puff[] =
    "billow: 1\n"
    "name: puff\n"
    "domain: {size: [0.32, 0.32, 0.64], voxel: 2 cm}\n"
    "time: {frames: 1-8, seed: 7}\n"
    "stages:\n"
    "  - emit: {shape: {sphere: {center: [0, 0, 0.1], radius: 6 cm}}, density: 1, temperature: 200}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {buoyancy: 1}\n"
    "  - mac.project: {}\n"
    "export:\n"
    "  - vdb: {fields: [density, vel]}\n";

static struct bw_session *session;
static const char *work;

static struct bw_bake_options options_of_puff(void)
{
    return (struct bw_bake_options){
        .size = sizeof(struct bw_bake_options), .preset = "puff", .text = puff, .threads = 2};
}

static struct bw_bake *bake_open(const struct bw_bake_options *o)
{
    struct bw_bake *bake;
    CHECK(bw_bake_open(session, o, &bake) == BW_OK);
    return bake;
}

static int is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name)) return 1;
    return argc < 2;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

#endif
