// SPDX-License-Identifier: Apache-2.0
/* Running a preset from its text inside a test: real plugins from the build tree, optional stages of the test's own. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include "base/alloc.h"
#include "run/run.h"
#include <billow/plugin.h>
#include <stdbool.h>

struct test_run {
    struct bw_diag diag;
    struct bw_preset *preset;
    struct bw_registry *registry;
    struct bw_chain *chain;
    enum bw_status status; ///< of the first thing that failed, or of the run
};

struct test_options {
    uint32_t threads;               ///< 0: 2
    uint32_t simd;                  ///< enum bw_simd; UINT32_MAX: best (set by default)
    const char *out;                ///< output folder, or NULL
    const struct bw_module *module; ///< extra stages, or NULL
    int32_t only_check;             ///< build the chain, do not run it
    const char *plugins;            ///< plugin folders instead of the build tree's; "" for none
    void (*on_log)(int level, const char *who, const char *text, void *user);     ///< what is said, or NULL
    int (*on_file)(const char *name, const struct file_facts *whole, void *user); ///< each file as it comes, or NULL
    void (*on_run)(struct bw_run_options *run, void *user);                       ///< to say more of the run, or NULL
    void *user;                                                                   ///< for the three
};

/// BILLOW_TEST_SHORT is set, as under sanitizers, which make a run several times slower: what only repeats for accuracy
/// code that other cases or turns run too is left out, and some runs are shorter. Bounds of what is left stay as they
/// are.
bool test_short(void);
/// Path of a new .csv file with `rows`, until the next call or the process's end. NULL: it can't be written.
const char *test_table(const char *rows);
/// Parse, wire and run. Everything stays readable until test_end.
struct test_run test_start(const char *yaml, const struct test_options *o);
void test_end(struct test_run *r);
/// Copy of component c of a whole field (box cells; one more along the own axis for mac), x fastest. Free with bw_free.
double *test_field(const struct test_run *r, const char *name, uint32_t c, int32_t n[3]);
/// 64-bit hash over all components of a field's box as stored bits.
uint64_t test_hash(const struct test_run *r, const char *name);

#endif
