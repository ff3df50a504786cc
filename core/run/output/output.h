// SPDX-License-Identifier: Apache-2.0
/* All or nothing: a file is written beside its final name under a hidden one, flushed to disk, then renamed. The folder
 * is opened once: one that goes away, or is replaced, is noticed. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "claims.h"
#include "files.h"
#include <pthread.h>
#include <stdbool.h>

/// A file under its temporary name, in a list of its owner's.
struct output;

/// The bake's folder.
struct outputs {
    const char *folder; ///< NULL: nothing is written
    bool open;          ///< `fd` is the folder's
    int fd;
    int (*on_file)(const char *name, const struct file_facts *whole, void *user); ///< see bw_run_options; may be NULL
    void *user;
    struct run_log *log;
    struct claims claims;
    pthread_mutex_t lock; ///< of what follows: the run's thread and the writer's commit
    bool holds;           ///< what is committed keeps its temporary name for now, in `held`
    struct output *held;
};

/// Make the folder where it is not there, and open it; before anything else writes. Errors are said.
enum bw_status outputs_open(struct outputs *o);
void outputs_close(struct outputs *o);
/// The temporary path of an empty file, which the list holds until commit or discard; NULL on failure, said. `keep`:
/// until the bake ends.
const char *output_begin(struct outputs *o, struct output **list, struct output_owner by, const char *name, bool keep);
/// Give the file its final name, unless `on_file` answers FILE_UNWANTED. Errors are said.
enum bw_status output_commit(struct outputs *o, struct output **list, const char *temporary);
void output_discard(struct output **list, const char *temporary);
/// Commit what need not be kept until the bake ends; `all`: that too.
enum bw_status outputs_commit(struct outputs *o, struct output **list, bool all);
void outputs_discard(struct output **list);
/// From now on committed files keep their temporary names: what lies under the final ones stays, should the run fail.
void outputs_hold(struct outputs *o);
bool outputs_holding(struct outputs *o);
/// They take their final names, in the order of their commits, and so does what is committed later. Errors are said.
enum bw_status outputs_release(struct outputs *o);
/// They are removed.
void outputs_drop(struct outputs *o);

#endif
