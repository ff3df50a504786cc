// SPDX-License-Identifier: Apache-2.0
/* The movie writer is a library of its own that is loaded when the first movie begins: libav and the hundred libraries
 * that it stands on take 35 ms to load, which every start of the program would wait for. */
#include "movie_calls.h"

#include <picture/movie/movie.h>

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

/// Loaded once and kept. NULL, and why, when it can't be.
static const struct bw_movie_calls *calls(const char **why)
{
    void *library = dlopen("libbillow-movie.so.0", RTLD_NOW | RTLD_LOCAL);
    const struct bw_movie_calls *found = library ? dlsym(library, "bw_movie_calls") : NULL;
    const char *said = found ? NULL : dlerror();
    *why = found ? NULL : said ? said : "unknown reason";
    return found;
}

/// The linker does not say it: would a library of libavcodec's size find room?
static int memory_lacks(void)
{
    const size_t usual = (size_t)16 << 20;
    void *room = mmap(NULL, usual, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room == MAP_FAILED || munmap(room, usual);
}

enum bw_status bw_movie_open(const struct bw_tools *tools, const struct bw_movie_options *o, struct bw_movie **movie,
                             const char **encoder, char *why, size_t why_size)
{
    const char *said;
    const struct bw_movie_calls *c = calls(&said);
    *movie = NULL;
    if (c) return c->open(tools, o, movie, encoder, why, why_size);
    const int memory = memory_lacks();
    snprintf(why, why_size, "%sthe movie writer cannot be loaded: %s", memory ? "out of memory: " : "", said);
    return memory ? BW_ERR_MEMORY : BW_ERR;
}

/* ---- of a movie, so the library is there ---- */

static const struct bw_movie_calls *loaded(void)
{
    const char *why;
    return calls(&why);
}

void bw_movie_quality(struct bw_movie *m, double crf) { loaded()->quality(m, crf); }

enum bw_status bw_movie_add(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size)
{
    return loaded()->add(m, img, why, why_size);
}

enum bw_status bw_movie_write(struct bw_movie *m, const char *path, char *why, size_t why_size)
{
    return loaded()->write(m, path, why, why_size);
}

void bw_movie_close(struct bw_movie *m)
{
    if (m) loaded()->close(m);
}

enum bw_status bw_movie_checkpoint(struct bw_movie *m, struct bw_archive *a, char *why, size_t why_size)
{
    return loaded()->checkpoint(m, a, why, why_size);
}

/* ---- what there is ---- */

const char *bw_movie_encoder(void)
{
    const struct bw_movie_calls *c = loaded();
    return c ? c->encoder() : NULL;
}

void bw_movie_library(char *out, size_t size)
{
    const struct bw_movie_calls *c = loaded();
    if (c) c->library(out, size);
    else snprintf(out, size, "none");
}
