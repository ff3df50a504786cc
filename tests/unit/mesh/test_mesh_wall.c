// SPDX-License-Identifier: Apache-2.0
/* Whatever a reader of meshes does behind its wall is one sentence with the file's name, and a status. */
#include "mesh_bench.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

TestSuite(mesh_wall, .init = bench_begin, .fini = bench_end);

static const char *bad_reader(void)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/bad_reader", getenv("BILLOW_TEST_BUILD"));
    return path;
}

Test(mesh_wall, whatever_it_does_is_a_sentence)
{
    static const struct {
        const char *how;
        enum bw_status status;
        const char *word;
    } bad[] = {
        {"killed", BW_ERR_LIMIT, "killed cannot be read: the reader of meshes was killed (memory?)"},
        {"crashes", BW_ERR_IO, "crashes cannot be read: the reader of meshes crashed (Segmentation fault)"},
#ifndef __SANITIZE_ADDRESS__
        {"eats", BW_ERR_IO, "eats cannot be read: the reader of meshes crashed (Aborted)"},
#endif
        {"sleeps", BW_ERR_LIMIT, "sleeps takes longer than 0.3 s to read"},
        {"spins", BW_ERR_LIMIT, "spins takes longer than 0.3 s to read"},
        {"silent", BW_ERR_IO, "silent cannot be read: the reader of meshes ended without an answer"},
        {"cut", BW_ERR_IO, "cut cannot be read: the reader of meshes ended without an answer"},
        {"promises", BW_ERR_IO, "promises cannot be read: the reader of meshes ended without an answer"},
        {"garbage", BW_ERR_IO, "garbage cannot be read: the reader of meshes answers nonsense"},
        {"endless", BW_ERR_IO, "endless cannot be read: the reader of meshes answers nonsense"},
        {"negative", BW_ERR_IO, "negative cannot be read: the reader of meshes answers nonsense"},
        {"corner", BW_ERR_IO, "corner cannot be read: the reader of meshes answers nonsense"},
        {"says", BW_ERR_IO, "says:7: a ?[31mletter"},
    };
    for (size_t i = 0; i < BW_COUNT(bad); i++) {
        const double seconds = bad[i].status == BW_ERR_LIMIT && strcmp(bad[i].how, "killed") ? 0.3 : 60;
        const struct found f = found_by(bad_reader(), seconds, bad[i].how);
        cr_assert_eq(f.status, bad[i].status, "%s: status %d, %s", bad[i].how, f.status, said);
        cr_assert(strstr(said, bad[i].word), "%s: \"%s\" is not in: %s", bad[i].how, bad[i].word, said);
        cr_assert_eq(kept, 0, "%s keeps memory", bad[i].how);
    }
    cr_assert_eq(found_by(bad_reader(), 60, "good").triangles, 1, "%s", said);
}

Test(mesh_wall, a_reader_that_cannot_be_started)
{
    cr_assert_eq(found_by("/nowhere/reader", 60, "a.obj").status, BW_ERR_LIMIT);
    cr_assert(strstr(said, "a.obj cannot be read: /nowhere/reader cannot be started: No such file"), "%s", said);
}

/* No child is left, and neither signals nor descriptors nor the folder of the host are touched. */
Test(mesh_wall, the_host_stays_as_it_is)
{
    struct sigaction before, after;
    char folder[2][1024];
    sigset_t mask[2];
    memset(mask, 0, sizeof mask);
    text_put("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    sigaction(SIGCHLD, NULL, &before);
    pthread_sigmask(SIG_SETMASK, NULL, &mask[0]);
    cr_assert_not_null(getcwd(folder[0], sizeof folder[0]));
    const int next = dup(0);
    close(next);
    cr_assert_eq(found("t.obj").triangles, 1, "%s", said);
    cr_assert_eq(found_by(bad_reader(), 0.2, "sleeps").status, BW_ERR_LIMIT);
    sigaction(SIGCHLD, NULL, &after);
    pthread_sigmask(SIG_SETMASK, NULL, &mask[1]);
    cr_assert_not_null(getcwd(folder[1], sizeof folder[1]));
    cr_assert(before.sa_handler == after.sa_handler && !memcmp(&mask[0], &mask[1], sizeof mask[0]));
    cr_assert_str_eq(folder[0], folder[1]);
    const int again = dup(0);
    close(again);
    cr_assert_eq(next, again, "a descriptor is left open");
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

/* A host that waits for no child, and ignores that they end. */
Test(mesh_wall, a_host_that_ignores_its_children)
{
    text_put("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    signal(SIGCHLD, SIG_IGN);
    cr_assert_eq(found("t.obj").triangles, 1, "%s", said);
    cr_assert_eq(found_by(bad_reader(), 60, "silent").status, BW_ERR_IO);
    cr_assert(strstr(said, "ended without an answer"), "%s", said);
    signal(SIGCHLD, SIG_DFL);
}

#ifndef __SANITIZE_ADDRESS__ // which takes terabytes of addresses
/* A file that memory does not hold, where the host has a limit of its own. */
Test(mesh_wall, memory_is_bounded)
{
    struct rlimit before, small;
    text_put("large.obj", "v 0 0 0\n");
    cr_assert_eq(truncate(bench_path("large.obj"), 1 << 30), 0);
    getrlimit(RLIMIT_AS, &before);
    small = (struct rlimit){1 << 30, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_AS, &small), 0);
    const struct found f = found("large.obj");
    setrlimit(RLIMIT_AS, &before);
    cr_assert_eq(f.status, BW_ERR_LIMIT, "status %d: %s", f.status, said);
    cr_assert(strstr(said, "large.obj takes more memory to read than a reader of meshes is given"), "%s", said);
}
#endif

/* The same file gives the same points, bit by bit, and a bomb of a few bytes no gigabytes. */
Test(mesh_wall, bombs)
{
    text_put("bomb.gltf",
             "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"count\":4000000000,"
             "\"type\":\"VEC3\",\"sparse\":{\"count\":0,\"indices\":{},\"values\":{}}}],\"nodes\":[{\"mesh\":0}],"
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}");
    refuses("bomb.gltf", "accessor 0 is too large");
}
