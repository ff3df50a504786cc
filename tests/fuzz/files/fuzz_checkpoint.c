// SPDX-License-Identifier: Apache-2.0
/* Going on from a checkpoint of any sections: a chain of stages that keep state takes it back, and where it takes all
 * of it, may make a step with it; but not that of a flow, which rightly takes long where the flow is fast. The input is
 * a byte (1: the preset of vortons; 3: and a step) and sections: a byte for the length of the name, four for the number
 * of bytes that it holds, two for how many of those are given, the rest being zeros; name; those bytes. Sums and end
 * are the writer's, so that the fuzzer gets past them; fuzz_checkpoint_file.c has files of other shapes. */
#include "fuzz.h"
#include "run/checkpoint/file.h"
#include "run/chain.h"

#include "base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 7, SECTION_MAX = 1 << 18 };

static const char preset_text[] = "billow: 1\nname: fuzz\n"
                                  "domain: {%s, voxel: 5 cm}\n"
                                  "time: {fps: 24, frames: 1-3, substeps: 1, seed: 7}\n"
                                  "limits: {memory: 200 MB}\n"
                                  "stages:\n"
                                  "  - emit: {density: {keys: {1: 1, 4: 0.2}}, inherit_velocity: 1,\n"
                                  "      shape: {sphere: {center: [\"=0.4+t\", 0.4, 0.4], radius: 15 cm}},\n"
                                  "      noise: {amount: 1, size: 12 cm, speed: 1 m/s}}\n"
                                  "%s";

static const char box[] = "cells: [16, 16, 16], floor: 0, center: [0.4, 0.4]";
static const char flow[] = "  - force: {kind: {turbulence: {strength: 6, size: 20 cm, speed: 240 cm/s}}}\n"
                           "  - mac.advect: {scheme: semi-lagrangian}\n";

static const char endless[] = "size: none";
static const char vortons[] =
    "  - collide: {id: ball, shape: {sphere: {center: [\"=0.3+t\", 0.4, 0.4], radius: 14 cm}}}\n"
    "  - vorton.emit: {id: cloud, source: {cloud: {center: [0.4, 0.4, 0.4], radius: 10 cm, count: 4, rate: 10 1/s}}}\n"
    "  - tracers: {shape: {sphere: {center: [0.4, 0.4, 0.4], radius: 0.1}}, count: 8, rate: 10 1/s}\n"
    "  - vorton.velocity: {method: fast}\n"
    "  - vorton.advect: {}\n";

struct world {
    struct bw_registry *registry;
    struct bw_preset *preset[2];
    char path[64];  ///< of the checkpoint, in memory where that can be
    int64_t memory; ///< pieces that live as long as the process
};

static struct bw_preset *preset_make(const char *domain, const char *stages)
{
    struct bw_diag d = {0};
    char *text = bw_printf(preset_text, domain, stages);
    struct bw_preset_overrides o = {.text = text};
    struct bw_preset *p = bw_preset_load("fuzz.yaml", &o, &d);
    if (!p) abort();
    bw_free(text);
    return p;
}

static struct world world_make(void)
{
    struct world w = {.registry = bw_registry_open(FUZZ_PLUGINS)};
    const char *memory = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(w.path, sizeof w.path, "%s/fuzz-checkpoint-%ld", memory, (long)getpid());
    w.preset[0] = preset_make(box, flow);
    w.preset[1] = preset_make(endless, vortons);
    w.memory = bw_alloc_live();
    return w;
}

/* The section at the input's beginning, written. Answers how many bytes of the input it took, 0: no more. */
static size_t section_put(struct checkpoint_writer *w, const uint8_t *bytes, size_t n)
{
    static uint8_t content[SECTION_MAX];
    char name[256];
    uint32_t size;
    uint16_t given;
    if (n < HEAD || n - HEAD < bytes[0]) return 0;
    memcpy(&size, bytes + 1, sizeof size);
    memcpy(&given, bytes + 5, sizeof given);
    memcpy(name, bytes + HEAD, bytes[0]);
    name[bytes[0]] = '\0';
    const size_t left = n - HEAD - bytes[0];
    if (size > SECTION_MAX) size = SECTION_MAX;
    if (given > left) given = (uint16_t)left;
    if (given > size) given = (uint16_t)size;
    memset(content, 0, size);
    memcpy(content, bytes + HEAD + bytes[0], given);
    const struct checkpoint_piece piece = {content, size};
    return checkpoint_add(w, name, &piece, 1) ? HEAD + bytes[0] + (size_t)given : 0;
}

static void end_with_substep(const struct bw_progress *p, void *stop)
{
    (void)p;
    *(_Atomic int *)stop = 1;
}

static void chain_try(const struct world *w, uint8_t which)
{
    _Atomic int stop = 0;
    const struct bw_run_options o = {.threads = 1,
                                     .resume = w->path,
                                     .on_substep = end_with_substep,
                                     .user = &stop,
                                     .stop = &stop,
                                     .max_frames = (which & 3) == 3 ? 3 : 1};
    struct bw_diag d = {0};
    struct bw_chain *c = bw_chain_create(w->preset[which & 1], w->registry, &o, &d);
    if (!c) abort();
    const enum bw_status status = bw_chain_run(c, &d);
    if (status && status != BW_ERR_CANCELLED && (!d.first || !*d.first)) abort(); // refused without a word
    if (!(c->clock.time > -1000)) abort();                                        // steps from there would have no end
    bw_chain_free(c);
    bw_diag_free(&d);
    if (bw_alloc_live() != w->memory) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct world w;
    if (!w.registry) w = world_make();
    if (!n) return 0;
    struct checkpoint_writer *file = checkpoint_create(w.path);
    if (!file) abort();
    for (size_t at = 1, took = 1; took; at += took) took = section_put(file, bytes + at, n - at);
    if (checkpoint_close(file)) chain_try(&w, bytes[0]);
    unlink(w.path);
    return 0;
}
