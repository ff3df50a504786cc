// SPDX-License-Identifier: Apache-2.0
/* From the host's options to a chain of stages: find and read the preset, choose the folder, create and wire stages. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "job.h"

#include "preset/values/params.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static enum bw_status simd_read(struct job *j, struct bw_diag *d)
{
    const char *text = j->options.simd;
    j->run.simd = UINT32_MAX;
    if (!text) return BW_OK;
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, simd_name[i])) continue;
        if (i > bw_simd_best())
            return bw_diag_error(d, NULL, BW_ERR_USAGE, "this machine has no %s; its best is %s", text,
                                 simd_name[bw_simd_best()]);
        j->run.simd = i;
        return BW_OK;
    }
    const char *near = bw_did_you_mean(text, simd_name, 3);
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "simd takes baseline, avx2 or avx512, not \"%s\"%s%s", text,
                         near ? "; did you mean " : "", near ? near : "");
}

static enum bw_status seed_read(struct job *j, struct bw_diag *d)
{
    const char *text = j->options.seed;
    char *end = NULL;
    if (!text) return BW_OK;
    errno = 0;
    j->overrides.seed = strtoull(text, &end, 0);
    j->overrides.has_seed = 1;
    if (end != text && !*end && !errno && *text != '-') return BW_OK;
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "seed wants a whole number, not \"%s\"", text);
}

static bool number_is_whole(const char *text)
{
    char *end;
    errno = 0;
    strtoll(text, &end, 10);
    return end != text && !*end && !errno;
}

static enum bw_status options_check(struct job *j, struct bw_diag *d)
{
    const struct bw_bake_options *o = &j->options;
    int64_t first, last;
    double bytes;
    if (!o->preset && !o->text) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a preset or its text is wanted");
    if (o->mode > BW_BAKE_RESUME) return bw_diag_error(d, NULL, BW_ERR_USAGE, "there is no mode %u", o->mode);
    if (o->threads > 1024)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "threads wants a whole number from 1 to 1024, not %u", o->threads);
    if (!(o->coarse >= 0 && o->coarse <= 1000))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "coarse wants a factor of at most 1000, not %g", o->coarse);
    if (o->memory && (bw_parse_bytes(o->memory, &bytes) != BW_OK || !(bytes > 0)))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "memory wants an amount like 12G or 900M, not \"%s\"", o->memory);
    if (o->from_frame && !number_is_whole(o->from_frame))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "from-frame wants a whole number, not \"%s\"", o->from_frame);
    if (o->from_frame && o->mode != BW_BAKE_RESUME)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "from-frame is for a bake that is resumed");
    if (o->frames && bw_parse_frames(o->frames, &first, &last) != BW_OK)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "frames wants A-B, like 1001-1040, not \"%s\"", o->frames);
    enum bw_status status = simd_read(j, d);
    return status ? status : seed_read(j, d);
}

static void overrides_fill(struct job *j)
{
    const struct bw_bake_options *o = &j->options;
    j->overrides.set = o->set;
    j->overrides.n_set = o->n_set;
    j->overrides.mute = o->mute;
    j->overrides.n_mute = o->n_mute;
    j->overrides.frames = o->frames;
    j->overrides.memory = o->memory;
    j->overrides.coarse = (o->coarse > 0 ? o->coarse : 1) * (o->quick ? 2 : 1);
    j->overrides.text = o->text;
    j->overrides.search = j->session->preset_path;
    j->overrides.installed = j->session->folders.presets;
    j->run.quick = o->quick != 0;
    j->run.threads = o->threads;
    j->run.stop = &j->stop;
    j->run.cancel = &j->cancel;
    j->run.checkpoint = &j->checkpoint_wanted;
}

/* ---- preset ---- */

/* A resume by resolved.yaml in a folder that was moved since: the differing parts of the old and the new path. */
static void moved_folder_find(struct job *j)
{
    const char *slash = j->options.preset ? strrchr(j->options.preset, '/') : NULL;
    size_t length = slash ? (size_t)(slash - j->options.preset) : 0;
    if (j->options.mode != BW_BAKE_RESUME || !j->options.out || !slash || strcmp(slash, "/resolved.yaml") != 0) return;
    if (strlen(j->options.out) != length || strncmp(j->options.out, j->options.preset, length) != 0) return;
    char *then = journal_folder_path(j->options.out), *now = realpath(j->options.out, NULL), *a, *b;
    if (!then || !now || !strcmp(then, now)) goto end;
    while ((a = strrchr(then, '/')) && (b = strrchr(now, '/')) && !strcmp(a, b)) *a = *b = '\0';
    j->overrides.moved_from = texts_copy(&j->texts, then);
    j->overrides.moved_to = j->overrides.moved_from ? texts_copy(&j->texts, now) : NULL;
    if (!j->overrides.moved_to) j->overrides.moved_from = NULL;
end:
    bw_free(then);
    free(now);
}

/* A resumed bake keeps its name, whatever the preset's file is called: its frames continue one sequence. */
static void resumed_name_find(struct job *j)
{
    if (j->options.mode != BW_BAKE_RESUME || !j->options.out || !*j->options.out) return;
    struct bake_record r = record_read(j->options.out);
    const char *name = json_string_value(json_object_get(r.root, "preset"));
    j->overrides.name = name ? texts_copy(&j->texts, name) : NULL;
    record_free(&r);
}

static enum bw_status preset_read(struct job *j, struct bw_diag *d)
{
    const char *name = j->options.preset ? j->options.preset : "preset";
    const struct session *s = j->session;
    char *path = j->options.text ? bw_strdup(name) : bw_preset_find(name, s->preset_path, s->folders.presets, d);
    if (!path) return d->status ? d->status : out_of_memory(d);
    j->preset = bw_preset_load(path, &j->overrides, d);
    bw_free(path);
    return d->status;
}

/* ---- chain ---- */

/* The chain's threads take no signals of the host's, but those of their own faults. */
static void signals_block(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

struct bw_chain *job_chain_make(struct job *j, const struct bw_run_options *run, struct bw_diag *d)
{
    sigset_t before;
    signals_block(&before);
    struct bw_chain *c = bw_chain_create(j->preset, j->session->registry, run, d);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c;
}

enum bw_status job_thread_start(struct job *j, void *(*main)(void *), struct bw_diag *d)
{
    sigset_t before;
    signals_block(&before);
    int bad = pthread_create(&j->thread, NULL, main, j);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    j->threaded = !bad;
    return bad ? bw_diag_error(d, NULL, BW_ERR_MEMORY, "no thread can be started for the bake: %s", strerror(bad))
               : BW_OK;
}

static void chain_part_add(const struct chain_part *p, void *parts)
{
    json_t *hash = json_string(p->hash);
    if (p->kind == CHAIN_CORE) json_object_set(parts, "preset_hash", hash);
    if (p->kind == CHAIN_EXPORT) json_object_set(json_object_get(parts, "exports"), p->name, hash);
    if (p->kind == CHAIN_INPUT)
        json_array_append_new(json_object_get(parts, "inputs"), json_pack("[o, s]", json_bytes(p->name), p->hash));
    json_decref(hash);
}

static void facts_fill(struct job *j)
{
    uint32_t simd = j->run.simd == UINT32_MAX ? bw_simd_best() : j->run.simd;
    j->facts = (struct bake_facts){.out = j->out ? j->out : "",
                                   .name = j->preset->name,
                                   .hash = bw_chain_hash(j->chain),
                                   .simd = simd_name[simd < 3 ? simd : 0],
                                   .first = j->preset->time.write_first,
                                   .last = j->preset->time.write_last,
                                   .quick = j->run.quick != 0,
                                   .parts = json_pack("{s:{}, s:[]}", "exports", "inputs")};
    bw_chain_parts(j->chain, chain_part_add, j->facts.parts);
    j->facts.builds = build_hash(j->preset, j->session->registry, j->session->folders.library, j->facts.build);
}

enum bw_status job_read(struct job *j, struct bw_diag *d)
{
    if (options_check(j, d)) return d->status;
    overrides_fill(j);
    moved_folder_find(j);
    resumed_name_find(j);
    if (preset_read(j, d)) return d->status;
    if (j->options.out && !(j->out = folder_choose(j, d))) return d->status;
    if (j->preset->frames_bake) {
        if (frames_from_check_cycle(j->session, j->preset, d)) return d->status;
        j->source = frames_from_preset(j->preset);
        j->source_out = frames_from_folder(j->preset, j->out ? j->out : "out/out", j->run.quick != 0);
        if (!j->source || !j->source_out) return out_of_memory(d);
        if (j->out && !strcmp(j->out, j->source_out))
            return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s is where %s goes: another output folder is wanted", j->out,
                                 j->source);
    }
    if (j->out && frames_from_check_folder(j->preset, j->out, d)) return d->status;
    j->run.out = j->out;
    if (j->out) j->record = record_read(j->out);
    if (j->options.mode == BW_BAKE_RESUME && json_is_true(json_object_get(j->record.root, "quick"))) j->run.quick = 1;
    callbacks_attach(j);
    j->chain = job_chain_make(j, &j->run, d);
    if (!j->chain) return d->status;
    facts_fill(j);
    j->up_to_date = j->out && record_up_to_date(&j->record, &j->facts);
    return BW_OK;
}
