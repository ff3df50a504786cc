// SPDX-License-Identifier: Apache-2.0
/* A bake behind its handle: options, preset, chain of stages, output folder, thread. */
#ifndef JOB_H
#define JOB_H

#include "options.h"
#include "record/record.h"
#include "run/run.h"
#include "session/session.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>

enum job_state { JOB_OPEN, JOB_RUNNING, JOB_DONE };

/// The checkpoint from which a bake resumes.
struct job_resume {
    char *path;          ///< NULL: from the first frame
    char *hash;          ///< of the values that it was made with
    json_t *preset_hash; ///< of those of the stages alone
    int64_t frame;       ///< the last complete one, or the one that was being made
    bool whole;          ///< `frame` is complete
    bool anew;           ///< a resume was asked for, but no checkpoint is usable: from the first frame
    char *why;           ///< why not from the newest checkpoint, or from none
    json_t *files;       ///< complete ones at that time, with their checksums
    json_t *verified;    ///< those whose checksums have been verified so far
};

/// Deferred takeover of a folder that holds results: it stays as it is until the new bake's first file is complete.
struct job_takeover {
    pthread_mutex_t lock; ///< of `pending`: the run's thread and the writer's both report complete files
    _Atomic bool pending;
    struct bw_diag diag; ///< why the takeover failed
    char *log;           ///< the log so far, of `log_bytes`
    size_t log_bytes;
};

/// Repair of a finished bake: its damaged files are made again, and no others.
struct job_repair {
    bool on;
    json_t *bad;         ///< damaged files by name, with their frame; no integer: of all frames
    char *why;           ///< "vdb/a.vdb is missing, and 2 more files"
    int64_t first, last; ///< frames to make again; first beyond the bake's last: only files of all frames
};

/// Values that a running bake is to take (live.c, callbacks.c).
struct job_live {
    pthread_mutex_t lock; ///< of `next`, and of both chains' values
    struct job *next;     ///< whose values the next step takes, with a reference; NULL: nobody's
    atomic_bool spent;    ///< this one's own values were asked for
};

struct job_line; ///< of the log, waiting for the callback

struct job {
    struct object o;
    struct session *session;
    struct bw_bake *handle;
    pid_t process;                  ///< a forked child has a copy of all this, and none of the threads
    struct bw_bake_options options; ///< its strings are copies, in `texts`
    struct texts texts;
    struct bw_preset_overrides overrides;
    struct bw_preset *preset;
    struct bw_run_options run;
    struct bw_chain *chain;
    struct bake_facts facts;
    char *out, *source, *source_out; ///< source: the preset that makes the files that frames come from, or NULL
    int lock_fd;
    bool created; ///< `out` was made by this bake, for it alone
    bool up_to_date;
    struct bake_record record;
    struct job_resume resume;
    struct job_takeover takeover;
    struct job_repair repair;
    struct job_live live;
    char *resolved;         ///< the text of resolved.yaml
    const char *checkpoint; ///< the newest of this run, under `lock`; in `texts`
    bool distributed;       ///< over several processes (MPI ranks)
    bool ended_together;    ///< all ranks have reached the end
    struct bw_transport *ranks;
    double seconds, bytes;

    pthread_mutex_t lock; ///< of all below
    pthread_cond_t changed;
    enum job_state state;
    struct job *next_running; ///< at_exit.c
    atomic_bool has_file;     ///< one at least is complete
    bool threaded;            ///< `thread` is to be joined
    pthread_t thread;
    struct job *waits_for;         ///< a callback of this one waits for that one
    _Atomic int stop, cancel;      ///< see bw_run_options
    _Atomic int checkpoint_wanted; ///< likewise
    struct bw_diag diag;           ///< what ended it
    enum bw_status result;

    struct host_modes host; ///< of its thread, for callbacks
    double frame_seconds;   ///< running mean, recent frames weigh more
    FILE *log;
    struct job_line *lines, **last_line;
    struct bake_outputs outputs;
    struct bake_journal journal;
};

/// The job of a handle with a reference, or NULL with an error in `d`: no such handle, or another process opened it.
struct job *job_acquire(struct bw_bake *handle, struct bw_diag *d);
enum job_state job_state_get(struct job *j);

/* job_open.c */
/// Read the preset and make the chain.
enum bw_status job_read(struct job *j, struct bw_diag *d);
struct bw_chain *job_chain_make(struct job *j, const struct bw_run_options *run, struct bw_diag *d);
enum bw_status job_thread_start(struct job *j, void *(*main)(void *), struct bw_diag *d);

/* folder/choose.c: the name of the output folder */
/// out/NAME, or the next free out/NAME_v002. New memory; NULL with an error in `d`.
char *folder_choose(const struct job *j, struct bw_diag *d);
/// Create and lock it. 1: it is unchanged since it was read; else the result of folder_decide about what another bake
/// left there; -1 with an error in `d`.
int folder_create(struct job *j, struct bw_diag *d);

/* folder/folder.c: the output folder, before and after a run */
/// Exclusive lock against other bakes. Not an error: the folder does not exist yet, or its file system has no locks.
bool folder_lock(struct job *j, struct bw_diag *d);
void folder_unlock(struct job *j);
/// 1: run, 0: up to date, -1: refused, with an error in `d`.
int folder_decide(struct job *j, struct bw_diag *d);
/// Clear it and write what precedes the first frame. Where it holds results, both wait for folder_take_over. false with
/// an error in `d`.
bool folder_begin(struct job *j, struct bw_diag *d);
/// Called before a complete file takes its name: remove the previous bake's files now, unless that is done. Any thread.
/// false: it failed, and folder_end reports why.
bool folder_take_over(struct job *j);
/// Undo folder_begin and folder_lock, as far as they were done: no run follows.
void folder_abandon(struct job *j);
/// Write log and record; `status`: of the run. Returns it, or the status of a failure here.
enum bw_status folder_end(struct job *j, enum bw_status status, struct bw_diag *d);

/* folder/resume.c */
/// Can the folder of checkpoints be read, if there is one? false with an error in `d`.
bool resume_folder_check(const struct job *j, struct bw_diag *d);
/// Find the newest usable checkpoint, into j->resume. Returns how many there are; `why`: what is wrong with the newest,
/// new memory.
int32_t resume_find(struct job *j, char **why);
void resume_forget(struct job *j);
/// See bw_run_options.about and .on_checkpoint: the second removes older ones.
char *resume_about(void *job);
void resume_prune(const char *name, int64_t frame, void *job);
/// Bytes that checkpoints may take beside `others` bytes of files, where the preset does not say how many are kept.
double checkpoints_max_bytes(double others, double newest);
/// The files that a resume keeps: those of the record, or those of the checkpoint when values change. New.
json_t *resume_kept_files(const struct job *j);
/// Do values differ from the checkpoint's, since this resume or an earlier one?
bool resume_differs(const struct job *j);
/// Does this resume change values?
bool resume_changes(const struct job *j);
/// Add the values that this resume changes to j->facts.changes.
void resume_record_change(struct job *j, const struct bw_node *resolved);

/* folder/repair.c */
/// Of a finished bake: 1, some files are to be made again; 0, all are good; -1 with an error in `d`.
int repair_decide(struct job *j, struct bw_diag *d);
bool repair_begin(struct job *j, struct bw_diag *d);
/// See bw_run_options.on_file.
int repair_file(struct job *j, const char *name, const struct file_facts *whole);
/// Verify the repaired files. Returns `status`, or that of what is wrong.
enum bw_status repair_end(struct job *j, enum bw_status status, struct bw_diag *d);
void repair_free(struct job_repair *r);

/* callbacks.c: the host's callbacks and bake.log */
/// Make j->run call back `j`.
void callbacks_attach(struct job *j);
/// Pass all queued log lines to the host. On the bake's thread.
void log_lines_flush(struct job *j);
/// Free the queued log lines.
void log_lines_discard(struct job *j);
void start_report(struct job *j);
/// A line for bake.log and for the host; `level` as enum bw_log_level. Any thread.
void job_log(struct job *j, int level, const char *who, const char *text);
void output_report(struct job *j, const char *what, const char *path);

/* at_exit.c: exit() waits for running bakes */
/// From now on it waits for `j`. false with an error in `d`: the process is about to end.
bool at_exit_register(struct job *j, struct bw_diag *d);
void at_exit_unregister(struct job *j);
/// Add the exit handler again if libraries have been loaded since, or if `anyway`: their statics are destroyed before
/// older handlers run.
void at_exit_rearm(bool anyway);

/* wait.c: waiting, from callbacks too */
/// The calling thread is in a callback of this bake from now on; NULL: of none.
void callback_job_set(struct job *j);
/// The bake whose callback the calling thread is in, if any, waits for `j` until wait_end. false with an error in `d`:
/// that would be a deadlock.
bool wait_begin(struct job *j, struct bw_diag *d);
void wait_end(void);
/// Its state after that time, or sooner when it is done; < 0: no limit.
enum job_state job_wait(struct job *j, double seconds);
/// Does `j` wait for the bake whose callback the calling thread is in, or is it that bake?
bool job_waits_for_callback(const struct job *j);

/* ranks.c: one bake over several processes (MPI) */
/// Agreement of all ranks on the outcome of job_prepare, `go`: rank 0's, or -1 with an error in `d`. Returns `go` for a
/// bake in one process.
int ranks_agree(struct job *j, int go, struct bw_diag *d);
/// The run has ended on this rank: wait for the others for a while.
void ranks_finish(struct job *j);

/* estimate.c */
json_t *estimate_json(const struct job *j);
/// BW_ERR_LIMIT, in `d`: full boxes would fit neither into the limit nor into the machine.
enum bw_status estimate_check(const struct bw_chain *c, const struct bw_preset *p, struct bw_diag *d);
double memory_allowed(const struct bw_preset *p);

/* frames_from.c: frames that come from another bake's files */
/// The preset to bake first, and the folder for it. New memory; NULL: out of memory.
char *frames_from_preset(const struct bw_preset *p);
char *frames_from_folder(const struct bw_preset *p, const char *out, int quick);
/// BW_ERR_USAGE when `out` holds the files that frames come from: they would be read and overwritten.
enum bw_status frames_from_check_folder(const struct bw_preset *p, const char *out, struct bw_diag *d);
/// Can all presets of the chain be read, and does it end? BW_ERR_PRESET, ….
enum bw_status frames_from_check_cycle(const struct session *s, const struct bw_preset *p, struct bw_diag *d);

/* shadowed_plugins.c */
/// Call `report` for each stage and exporter of the bake that shadows another of the same name.
void shadowed_plugins_report(const struct job *j, void (*report)(const char *id, const char *text, void *user),
                             void *user);

#endif
