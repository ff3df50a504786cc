// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int voice = -1; ///< the terminal, while nothing is to be said

static uint32_t threads_share(void)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), n = local ? atol(local) : 1;
    return cores > n && n > 0 ? (uint32_t)(cores / n) : 1;
}

static void hush(void)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(NULL);
    voice = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (null < 0) return;
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
}

int ranks_begin(struct bw_bake_options *o, int wants_page)
{
    int32_t size;
    const int32_t rank = bw_process_rank(&size);
    if (size < 2) return 1;
    if (rank) hush();
    if (wants_page) return cli_usage("--view looks at a bake of one process, not of %d", (int)size), 0;
    if (!o->threads) o->threads = threads_share();
    if (rank) o->out = NULL;
    return 1;
}

void ranks_end(struct bw_bake *bake)
{
    if (voice < 0 || !bake || bw_bake_parted(bake)) return;
    fflush(NULL);
    dup2(voice, STDERR_FILENO);
}

int ranks_refused(const char *sentence)
{
    int32_t size;
    bw_process_rank(&size);
    return size > 1 && sentence && strstr(sentence, "rank") != NULL;
}

int ranks_allow_source(const char *name, const char *source)
{
    int32_t size;
    bw_process_rank(&size);
    if (size < 2) return 1;
    fprintf(stderr, "%s takes its frames from %s: bake that first, then this one, each by a command of its own\n", name,
            source);
    return 0;
}
