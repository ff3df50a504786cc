// SPDX-License-Identifier: Apache-2.0
/* A reader of meshes that a file has taken over; the file's name says how. */
#include <common/child/child.h>
#include <common/shape/mesh/read/answer.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int send(const void *bytes, size_t n) { return write(CHILD_FD, bytes, n) == (ssize_t)n; }

/* Two gigabytes and no end, under a limit of one. */
static void memory_eat(void)
{
    const struct rlimit limit = {1 << 30, 1 << 30};
    setrlimit(RLIMIT_AS, &limit);
    for (;;) {
        char *more = malloc(1 << 20);
        if (!more) abort();
        memset(more, 1, 1 << 20);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc == 4 ? strrchr(argv[3], '/') + 1 : "";
    struct answer_head head = {.magic = ANSWER_MAGIC, .n_points = 3, .n_triangles = 1};
    const double point[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t triangle[3] = {0, 1, 2}, wrong[3] = {0, 1, 3};
    child_settle();
    if (!strcmp(how, "killed")) raise(SIGKILL);
    if (!strcmp(how, "crashes")) raise(SIGSEGV);
    if (!strcmp(how, "sleeps")) sleep(1000);
    if (!strcmp(how, "spins"))
        for (;;) getppid();
    if (!strcmp(how, "eats")) memory_eat();
    if (!strcmp(how, "silent")) return 0;
    if (!strcmp(how, "garbage"))
        for (int i = 0; i < 100; i++) send("nonsense", 8);
    if (!strcmp(how, "endless")) // and after all that was wanted
        head.n_notes = ANSWER_NOTES + 1;
    if (!strcmp(how, "promises")) head.n_points = INT32_MAX, head.n_triangles = INT32_MAX;
    if (!strcmp(how, "negative")) head.n_points = -1;
    if (!strcmp(how, "says")) {
        head = (struct answer_head){.magic = ANSWER_MAGIC, .status = -6, .failure = {7, "a \033[31mletter"}};
        return !send(&head, sizeof head);
    }
    send(&head, sizeof head);
    send(point, sizeof point);
    send(strcmp(how, "corner") ? triangle : wrong, sizeof triangle);
    if (!strcmp(how, "cut")) return 0;
    return !send(head.magic, sizeof head.magic);
}
