// SPDX-License-Identifier: Apache-2.0
/* A bake behind its handle: what was asked, the chain, the folder, the thread. */
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

/// Where a bake goes on.
struct job_resume {
    char *path;        ///< the checkpoint; NULL: from the first frame
    char *hash;        ///< of the values that it was made with
    int64_t frame;     ///< that was whole, or being made
    bool whole, again; ///< again: it was asked to go on, but there is nothing to go on from
    char *why;         ///< … because of this; or why it is not the newest
    json_t *flow;      ///< the same of its flow alone
    json_t *files;     ///< those that were whole, with their sums
    json_t *sound;     ///< those that are as they were, as far as has been looked
};

/// Over a bake that is worth something: until a file of the new one is whole, the folder is left as it is.
struct job_trial {
    pthread_mutex_t lock; ///< of `on`: the run's thread and the writer's tell of whole files
    _Atomic bool on;
    struct bw_diag diag; ///< why the folder could not be taken over
    char *log;           ///< what the log is to say, of `log_bytes`
    size_t log_bytes;
};

/// Files of a whole bake that are made again, and no others.
struct job_repair {
    bool on;
    json_t *bad;         ///< by name, with the frame that each is of; no integer: it is of all
    char *why;           ///< "vdb/a.vdb is missing, and 2 more files"
    int64_t first, last; ///< frames that are made again; first beyond the bake's last: only what is of all
};

struct job_line; ///< of the log, waiting for the callback

struct job {
    struct object o;
    struct session *session;
    struct bw_bake *handle;
    pid_t process;                ///< a forked child has a copy of all this, and none of the threads
    struct bw_bake_options asked; ///< its strings are copies, in `texts`
    struct texts texts;
    struct bw_preset_overrides over;
    struct bw_preset *preset;
    struct bw_run_options run;
    struct bw_chain *chain;
    struct bake_facts facts;
    char *out, *source, *source_out; ///< source: the preset that makes the files that frames come from, or NULL
    int lock_fd;
    bool claimed; ///< `out` was made by this bake, for it alone
    bool up_to_date;
    struct bake_record record;
    struct job_resume resume;
    struct job_trial trial;
    struct job_repair repair;
    char *resolved;         ///< the text of resolved.yaml
    const char *checkpoint; ///< the newest of this run, under `lock`; in `texts`
    bool joins, parted;     ///< it is one of several processes; all of them have ended it alike
    struct bw_transport *ranks;
    double seconds, bytes;

    pthread_mutex_t lock; ///< of all below
    pthread_cond_t changed;
    enum job_state state;
    struct job *next_running; ///< ending.c
    bool renewed[2];          ///< ending_renew was told of the first substep, and of the first whole file
    bool threaded;            ///< `thread` is to be joined
    pthread_t thread;
    struct job *waits_for;          ///< a callback of this one waits for that one
    _Atomic int stop, cancel, keep; ///< see bw_run_options
    struct bw_diag diag;            ///< what ended it
    enum bw_status result;

    struct host_modes host; ///< of its thread, for callbacks
    double pace;            ///< s a frame, recent frames weigh more
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

/* folder/choose.c: which output folder */
/// out/NAME, or the next free out/NAME_v002. New memory; NULL with an error in `d`.
char *folder_choose(const struct job *j, struct bw_diag *d);
/// Make it, and lock it. 1: it is this bake's, and as it was when it was looked at; 0: look again; -1 with an error in
/// `d`.
int folder_take(struct job *j, struct bw_diag *d);

/* folder/folder.c: the output folder, before and after */
/// Nobody else bakes into it. A folder that is not there yet, or a file system that knows no locks, is no reason to
/// stop.
bool folder_lock(struct job *j, struct bw_diag *d);
void folder_unlock(struct job *j);
/// 1: go on, 0: there is nothing to do, -1: refused, with an error in `d`.
int folder_decide(struct job *j, struct bw_diag *d);
/// Clear it, and write what goes before the first frame; where something lies there that took time to make, that waits
/// for folder_take_over. false with an error in `d`.
bool folder_begin(struct job *j, struct bw_diag *d);
/// A file is about to take its name: what the bake before left goes now, if it has not yet. Any thread. false: it could
/// not be; the sentence comes with folder_end.
bool folder_take_over(struct job *j);
/// Undo folder_begin, and folder_lock, where they did anything: no run follows.
void folder_abandon(struct job *j);
/// The log, and the record; `status`: of the run. Answers it, or what went wrong here.
enum bw_status folder_end(struct job *j, enum bw_status status, struct bw_diag *d);

/* folder/resume.c */
/// Can the folder of checkpoints be read, if there is one? false with an error in `d`.
bool resume_folder_check(const struct job *j, struct bw_diag *d);
/// Find the newest checkpoint that is good, into j->resume. Answers how many there are; `why`: what is wrong with the
/// newest, new memory.
int32_t resume_find(struct job *j, char **why);
void resume_forget(struct job *j);
/// See bw_run_options.about and .on_checkpoint: the older ones go.
char *resume_about(void *job);
void resume_prune(const char *name, int64_t frame, void *job);
/// Bytes that they may take beside so many of other files, where the preset does not say how many are kept.
double checkpoints_most(double others, double newest);
/// The files to carry on and those to leave alone: what the record lists, or, when values change, what the checkpoint
/// does. New.
json_t *resume_carry(const struct job *j);
/// Are values others than the checkpoint's, now or since an earlier resume?
bool resume_differs(const struct job *j);
/// Do they change now?
bool resume_changes(const struct job *j);
/// What changes with this resume, into the facts.
void resume_note_change(struct job *j, const struct bw_node *resolved);

/* folder/repair.c */
/// Of a whole bake: 1, some files are to be made again; 0, all are good; -1 with an error in `d`.
int repair_decide(struct job *j, struct bw_diag *d);
bool repair_begin(struct job *j, struct bw_diag *d);
/// See bw_run_options.on_file.
int repair_file(struct job *j, const char *name, const struct file_facts *whole);
/// Are they as they were? Answers `status`, or what is wrong.
enum bw_status repair_end(struct job *j, enum bw_status status, struct bw_diag *d);
void repair_free(struct job_repair *r);

/* tell.c: callbacks */
/// Point the callbacks of j->run at `j`.
void tell_attach(struct job *j);
/// Hand all waiting lines to the callback. On the bake's thread.
void tell_lines(struct job *j);
/// Forget the lines that nobody will hear.
void tell_end(struct job *j);
void tell_start(struct job *j);
/// A line for the log and for the callback; `level` as enum bw_log_level.
void tell_log(struct job *j, int level, const char *who, const char *text);
void tell_output(struct job *j, const char *what, const char *path);

/* ending.c: the end of the process, which waits for the bakes that run */
/// From now on it does. false with an error in `d`: the process is about to end.
bool ending_watch(struct job *j, struct bw_diag *d);
void ending_forget(struct job *j);
/// Libraries may have made statics by now, which die before what was there when it was watched. At each moment once.
void ending_renew(bool *moment);

/* wait.c: waiting, from callbacks too */
/// The calling thread is in a callback of this bake from now on; NULL: of none.
void wait_inside(struct job *j);
/// The calling thread's bake, if it is in a callback, waits for `j` until wait_end. false with an error in `d`: `j`
/// waits for it, or is it.
bool wait_begin(struct job *j, struct bw_diag *d);
void wait_end(void);
/// Its state after that time, or sooner when it is done; < 0: forever.
enum job_state job_wait(struct job *j, double seconds);
/// 1 when `j` waits for the bake whose callback the calling thread is in, or is that bake.
bool job_waits_for_caller(const struct job *j);

/* ranks.c: one bake by several processes */
/// `go`: what job_prepare answered here. All ranks answer what the first one means, or refuse with one sentence. A job
/// that was not joined answers `go`.
int ranks_agree(struct job *j, int go, struct bw_diag *d);
/// The run is over, on this rank.
void ranks_part(struct job *j);

/* estimate.c */
json_t *estimate_json(const struct job *j);
/// BW_ERR_LIMIT and a sentence when a full box would not fit into the limit or the machine.
enum bw_status estimate_check(const struct bw_chain *c, const struct bw_preset *p, struct bw_diag *d);
double memory_allowed(const struct bw_preset *p);

/* source.c: frames that come from files, or from another bake */
/// The preset that is to be baked first, and the folder for it. New memory; NULL: out of memory.
char *source_preset(const struct bw_preset *p);
char *source_folder(const struct bw_preset *p, const char *out, int quick);
/// BW_ERR_USAGE when `out` holds the files that frames come from: read and written over, they would be neither.
enum bw_status source_check(const struct bw_preset *p, const char *out, struct bw_diag *d);
/// Whether the presets that the frames come from, one from the other, can be read and end: BW_ERR_PRESET, ….
enum bw_status source_follow(const struct session *s, const struct bw_preset *p, struct bw_diag *d);

/* shadow.c */
/// Call `say` for each stage and exporter of the bake that hides another of the same name.
void shadows_say(const struct job *j, void (*say)(const char *id, const char *text, void *user), void *user);

#endif
