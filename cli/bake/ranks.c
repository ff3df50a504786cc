// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANK_0_LEAD = 2 };     ///< s, that rank 0 is given to print its error and to exit
static int saved_stderr = -1; ///< descriptor, while output is silenced

static void output_silence(void)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(NULL);
    saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (null < 0) return;
    dup2(null, cli_out_fd());
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
}

/* Rank 0 prints the error. The others wait: mpirun would end rank 0 with them, before it has printed. */
static int refuse(int32_t rank, const char *what, int32_t size, const char *more)
{
    if (rank) sleep(RANK_0_LEAD);
    else cli_usage("%s is for one process, not for %d%s", what, (int)size, more);
    return 0;
}

int ranks_allow(const struct cli_command *command)
{
    int32_t size;
    const int32_t rank = bw_process_rank(&size);
    if (size < 2 || command->several) return 1;
    return refuse(rank, command->name, size, ": bake, resume, upres and retime are for several");
}

int ranks_begin(struct bw_bake_options *o, const char *alone)
{
    int32_t size;
    const int32_t rank = bw_process_rank(&size);
    if (size < 2) return 1;
    if (rank) output_silence();
    if (alone) return refuse(rank, alone, size, "");
    if (rank) o->out = NULL;
    return 1;
}

void ranks_failed_early(void)
{
    if (saved_stderr < 0) return;
    sleep(RANK_0_LEAD);
    fflush(NULL);
    dup2(saved_stderr, STDERR_FILENO);
    fprintf(stderr, "rank %d: ", (int)bw_process_rank(NULL));
}

void ranks_end(struct bw_bake *bake)
{
    if (saved_stderr < 0 || !bake || bw_bake_parted(bake)) return;
    fflush(NULL);
    dup2(saved_stderr, STDERR_FILENO);
}

int ranks_allow_source(const char *name, const char *source)
{
    int32_t size;
    bw_process_rank(&size);
    if (size < 2) return 1;
    cli_print_line(stderr, "%s takes its frames from %s: bake that first, then this one, each by a command of its own",
                   name, source);
    return 0;
}
