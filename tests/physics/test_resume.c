// SPDX-License-Identifier: Apache-2.0
/* What goes on from a checkpoint does what it would have done. Each preset runs once as it is; once with all stages
 * ended, begun anew and given back what they keep after every step; and once stopped and resumed after one step, two,
 * three …, on one thread, two, three. All fields, particles and metrics must then be the same to the last bit; and they
 * must not be where a stage does not get back what it kept, or the test would show nothing. What is damaged is refused
 * or taken, but nobody crashes. */
#include "resume_facts.h"
#include "resume_presets.h"
#include <unistd.h>

enum { KEYS = 4096, SEEDS = 2 };

/* ---- stages that lose their memory ---- */

struct kept {
    struct bw_archive pub; ///< first
    struct {
        char key[64];
        void *data;
        size_t bytes;
    } entry[KEYS];
    int n;
    const char *owner;
    int damaged;
};

static struct kept *kept_of(struct bw_archive *a) { return a->host_data; }

static int kept_find(const struct kept *k, const char *key)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s/%s", k->owner, key);
    for (int i = 0; i < k->n; i++)
        if (!strcmp(k->entry[i].key, whole)) return i;
    return -1;
}

static int64_t kept_stored(struct bw_archive *a, const char *key)
{
    const struct kept *k = kept_of(a);
    const int i = a->restoring ? kept_find(k, key) : -1;
    return i < 0 ? -1 : (int64_t)k->entry[i].bytes;
}

static enum bw_status kept_bytes(struct bw_archive *a, const char *key, void *data, size_t bytes)
{
    struct kept *k = kept_of(a);
    const int i = kept_find(k, key);
    if (a->restoring) {
        if (k->damaged && (i < 0 || k->entry[i].bytes != bytes)) return BW_ERR_IO;
        cr_assert(i >= 0 && k->entry[i].bytes == bytes, "%s/%s: %zu bytes are not there", k->owner, key, bytes);
        memcpy(data, k->entry[i].data, bytes);
        return BW_OK;
    }
    cr_assert(i < 0, "%s/%s is there twice", k->owner, key);
    cr_assert_lt(k->n, KEYS);
    snprintf(k->entry[k->n].key, sizeof k->entry->key, "%s/%s", k->owner, key);
    k->entry[k->n].data = bw_calloc(bytes + 1);
    k->entry[k->n].bytes = bytes;
    memcpy(k->entry[k->n++].data, data, bytes);
    return BW_OK;
}

static void stage_keep(struct run_stage *s, struct kept *k)
{
    const struct bw_stage_desc *d = s->pub.desc;
    k->owner = s->pub.id;
    if (d->checkpoint) {
        cr_assert_eq(d->checkpoint(&s->pub, &k->pub), BW_OK, "%s does not save", s->pub.id);
        stage_scratch_end(s);
    } else if (d->flags & BW_STAGE_PLAIN_STATE) {
        kept_bytes(&k->pub, "state", s->pub.state, d->state_size);
    } else {
        cr_assert(!d->state_size || d->flags & BW_STAGE_REBUILT_STATE, "%s has state that nobody keeps", s->pub.id);
    }
}

static void stage_end(struct run_stage *s)
{
    if (s->pub.desc->uninit) s->pub.desc->uninit(&s->pub);
    plugin_memory_free(&s->memory);
    memset(s->pub.state, 0, s->pub.desc->state_size);
}

/* As before the first step. */
static void stage_begin(const struct bw_chain *c, struct run_stage *s)
{
    struct bw_stage now = s->pub;
    s->pub.time = -c->preset->time.warmup / c->preset->time.fps;
    s->pub.frame = (double)c->preset->time.first - c->preset->time.warmup;
    s->pub.step = 0;
    cr_assert_eq(stage_params(s, s->pub.time), BW_OK);
    if (now.desc->init) cr_assert_eq(now.desc->init(&s->pub), BW_OK, "%s does not begin again", now.id);
    stage_scratch_end(s);
    s->pub = now;
    cr_assert_eq(stage_params(s, c->clock.time), BW_OK);
}

/* A byte turned, a word that is as large as can be, none, or NaN, or an end that is missing: in one place. */
static void kept_damage(struct kept *k, uint64_t seed)
{
    static const uint64_t words[] = {0, UINT64_MAX, INT64_MAX, INT32_MAX, 0x7ff8000000000000, 0x80000000};
    const int i = k->n ? (int)(bw_rng(seed, 0) % (uint64_t)k->n) : -1;
    k->damaged = 1;
    if (i < 0 || !k->entry[i].bytes) return;
    char *data = k->entry[i].data;
    const size_t bytes = k->entry[i].bytes, at = (size_t)(bw_rng(seed, 1) % bytes), word = at & ~(size_t)7;
    const int kind = (int)(bw_rng(seed, 2) % 4);
    if (kind == 0) k->entry[i].bytes = at;
    else if (kind == 1 || word + 8 > bytes) data[at] = (char)(data[at] ^ (1 << bw_rng(seed, 3) % 8));
    else memcpy(data + word, &words[bw_rng(seed, 3) % BW_COUNT(words)], 8);
}

static enum bw_status stage_restore(struct run_stage *s, struct kept *k)
{
    const struct bw_stage_desc *d = s->pub.desc;
    enum bw_status status = BW_OK;
    k->owner = s->pub.id;
    if (d->checkpoint) status = d->checkpoint(&s->pub, &k->pub);
    else if (d->flags & BW_STAGE_PLAIN_STATE) status = kept_bytes(&k->pub, "state", s->pub.state, d->state_size);
    cr_assert(status == BW_OK || k->damaged, "%s does not restore", s->pub.id);
    stage_scratch_end(s);
    return status;
}

static void stages_forget(struct witness *w)
{
    const struct bw_chain *c = w->chain;
    struct kept *k = bw_calloc(sizeof *k);
    k->pub = (struct bw_archive){sizeof k->pub, 0, kept_bytes, kept_stored, k};
    for (int32_t i = 0; i < c->stages.n; i++) {
        call_clock(c, &c->stages.stage[i], 0);
        stage_keep(&c->stages.stage[i], k);
    }
    for (int32_t i = c->stages.n - 1; i >= 0; i--) stage_end(&c->stages.stage[i]);
    for (int32_t i = 0; i < c->stages.n; i++) stage_begin(c, &c->stages.stage[i]);
    k->pub.restoring = 1;
    if (w->damage) kept_damage(k, bw_rng(w->damage, (uint64_t)c->clock.step));
    for (int32_t i = 0; i < c->stages.n && !w->stop; i++)
        if (strcmp(c->stages.stage[i].pub.id, w->forgetful)) w->stop = stage_restore(&c->stages.stage[i], k) != BW_OK;
    while (k->n) bw_free(k->entry[--k->n].data);
    bw_free(k);
}

/* ---- runs ---- */

static void on_frame(const struct bw_progress *p, void *user)
{
    struct witness *w = user;
    frame_see(p, w);
    if (w->forgetful && p->done == 1) stages_forget(w); // after the set-up
}

static void on_substep(const struct bw_progress *p, void *user)
{
    struct witness *w = user;
    (void)p;
    if (w->forgetful) stages_forget(w);
    if (w->stop_after > 0 && --w->stop_after == 0) w->stop = 1;
}

static void on_checkpoint(const char *name, int64_t frame, void *user)
{
    struct witness *w = user;
    (void)frame;
    snprintf(w->checkpoint, sizeof w->checkpoint, "%s/out/%s", folder, name);
}

/* On from w->checkpoint, if there is one. */
static enum bw_status run_see(const char *yaml, const char *out, uint32_t threads, struct witness *w)
{
    const struct test_options o = {.simd = UINT32_MAX, .only_check = 1, .out = out, .threads = threads};
    struct test_run r = test_start(yaml, &o);
    char resume[128];
    memcpy(resume, w->checkpoint, sizeof resume);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text ? r.diag.text : "no sentence");
    w->chain = r.chain;
    w->stop = 0;
    struct bw_run_options *opt = &r.chain->opt;
    opt->on_frame = on_frame;
    opt->on_substep = on_substep;
    opt->on_checkpoint = on_checkpoint;
    opt->stop = &w->stop;
    opt->resume = resume[0] ? resume : NULL;
    opt->user = w;
    const enum bw_status status = bw_chain_run(r.chain, &r.diag);
    cr_expect(status == BW_OK || status == BW_ERR_CANCELLED || w->damage || (w->forgetful && w->forgetful[0]), "%s",
              r.diag.text ? r.diag.text : "no sentence");
    test_end(&r);
    return status;
}

/* ---- each preset ---- */

static struct witness straight, other;

static void forgetful_run(const struct resume_preset *p, const char *yaml, const char *loses)
{
    other = (struct witness){.forgetful = loses};
    const enum bw_status status = run_see(yaml, NULL, 2, &other);
    const char *differs = status == BW_OK ? facts_compare(&straight, &other) : "it ends with an error";
    if (!loses[0]) cr_expect_null(differs, "%s: %s", p->name, differs);
    else cr_expect_not_null(differs, "%s: nobody sees what %s loses", p->name, loses);
}

/* Nothing is said of what comes out; whatever stage refuses ends the run. */
static void damaged_run(const char *yaml, uint64_t seed)
{
    other = (struct witness){.forgetful = "", .damage = seed};
    run_see(yaml, NULL, 2, &other);
}

static void keepers_try(const struct resume_preset *p, const char *yaml)
{
    char list[128], *rest = NULL;
    snprintf(list, sizeof list, "%s", p->keepers ? p->keepers : "");
    for (const char *id = strtok_r(list, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) forgetful_run(p, yaml, id);
}

static void stopped_run(const struct resume_preset *p, const char *yaml)
{
    char out[80];
    enum bw_status status = BW_ERR_CANCELLED;
    int runs = 0;
    snprintf(out, sizeof out, "%s/out", folder);
    other = (struct witness){.n = 0};
    for (; status == BW_ERR_CANCELLED && runs < 20; runs++) {
        other.stop_after = !test_short() ? 1 + runs % 3 : !runs; // once is enough to read it
        status = run_see(yaml, out, 1 + (uint32_t)runs % 3, &other);
        cr_expect(other.checkpoint[0], "%s: no checkpoint after run %d", p->name, runs);
    }
    const char *differs = status != BW_OK ? "it does not end" : straight.n ? facts_compare(&straight, &other) : NULL;
    cr_expect_null(differs, "%s, stopped and resumed: %s", p->name, differs);
    cr_expect_gt(runs, 1, "%s never stopped", p->name);
}

Test(resume, what_goes_on_from_a_checkpoint_does_what_it_would_have_done)
{
    char yaml[8192];
    files_make();
    for (size_t i = 0; i < BW_COUNT(resume_presets); i++) {
        const struct resume_preset *p = &resume_presets[i];
        text_make(p->text, yaml);
        straight = (struct witness){.n = 0};
        if (!test_short()) {
            cr_assert_eq(run_see(yaml, NULL, 2, &straight), BW_OK);
            cr_expect_gt(straight.n, 10, "%s shows nothing", p->name);
            forgetful_run(p, yaml, "");
            keepers_try(p, yaml);
        }
        stopped_run(p, yaml);
        for (uint64_t seed = 1; seed <= (test_short() ? 1 : SEEDS); seed++) damaged_run(yaml, seed);
    }
    files_end();
}

/* ---- other parameters ---- */

/* `--from-frame` with other shapes: what was kept of the one before is nobody's. */
Test(resume, from_a_checkpoint_of_other_shapes)
{
    static const char *const shape[] = {
        "sphere: {center: [0, 0, 0.3]}", "mesh: {file: FOLDER/shape.0001.obj, detail: 1}",
        "mesh: {file: FOLDER/shape.####.obj, detail: 1}", "vdb: {file: FOLDER/vdb/puff_0006.vdb}"};
    char text[2048], yaml[8192], out[80];
    files_make();
    snprintf(out, sizeof out, "%s/out", folder);
    for (size_t i = 0; i < BW_COUNT(shape); i++)
        for (size_t k = 0; k < BW_COUNT(shape); k++) {
            if (test_short() && k != (i + 1) % BW_COUNT(shape)) continue;
            other = (struct witness){.stop_after = 3};
            for (int run = 0; run < 2; run++) {
                snprintf(text, sizeof text,
                         BOX FRAMES "stages:\n"
                                    "  - emit: {temperature: 300, shape: {%s}}\n"
                                    "  - mac.advect: {}\n"
                                    "  - mac.forces: {}\n"
                                    "  - fire.control: {shape: {%s}}\n"
                                    "  - mac.project: {}\n",
                         shape[run ? k : i], shape[run ? k : i]);
                text_make(text, yaml);
                cr_expect_eq(run_see(yaml, out, 2, &other), run ? BW_OK : BW_ERR_CANCELLED, "%s, then %s", shape[i],
                             shape[k]);
            }
        }
    files_end();
}
