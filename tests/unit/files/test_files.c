// SPDX-License-Identifier: Apache-2.0
/* Files below a folder: names that stay in it, links that lead out of it, sums. */
#include "run/output/files.h"
#include "base/alloc.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(files, names)
{
    static const char *const good[] = {"a",       "a..b", "..a", "a../b", "vdb/a..b_0001.vdb",
                                       "./a/./b", "a//b", ".a",  "a.part"};
    static const char *const bad[] = {"",     "/a",       "..",    "../a",    "a/..",      "a/../b", "./..",
                                      "a/b/", "a\nb.vdb", "a\x7f", ".a.part", "b/.a.part", NULL};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_null(file_name_fault(good[i]), "%s: %s", good[i], file_name_fault(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) cr_expect(file_name_fault(bad[i]), "%s is taken", bad[i]);
    char long_name[260];
    memset(long_name, 'a', sizeof long_name);
    long_name[249] = '\0';
    cr_expect_null(file_name_fault(long_name), "%s", file_name_fault(long_name));
    long_name[249] = 'a', long_name[250] = '\0';
    cr_expect(file_name_fault(long_name), "its temporary name has no room");
}

static int folder_new(char *path)
{
    cr_assert_not_null(mkdtemp(path));
    int fd = file_root_open(path);
    cr_assert_geq(fd, 0);
    return fd;
}

static void folder_end(int fd, const char *path)
{
    char command[64];
    close(fd);
    snprintf(command, sizeof command, "rm -r '%s'", path);
    cr_assert_eq(system(command), 0);
}

/* Of the library's own description. */
Test(files, sums)
{
    static const struct {
        const char *text;
        uint64_t xxh3;
    } known[] = {{"", 0x2d06800538d394c2}, {"abc", 0x78af5f94892f3950}};
    char path[] = "/tmp/billow-files-XXXXXX";
    int root = folder_new(path);
    for (size_t i = 0; i < 2; i++) {
        struct file_facts facts;
        int fd = file_create(root, "a");
        cr_assert_eq(write(fd, known[i].text, strlen(known[i].text)), (ssize_t)strlen(known[i].text));
        close(fd);
        cr_assert(file_settle(root, "a", &facts));
        cr_expect_eq(facts.bytes, (int64_t)strlen(known[i].text));
        cr_expect_eq(facts.xxh3, known[i].xxh3, "%llx", (unsigned long long)facts.xxh3);
    }
    folder_end(root, path);
}

/* A link in place of the temporary file is replaced, one in place of a folder refused; what they lead to stays. */
Test(files, links)
{
    char path[] = "/tmp/billow-files-XXXXXX", outside[] = "/tmp/billow-outside-XXXXXX";
    struct stat st;
    int root = folder_new(path), far = folder_new(outside);
    int victim = file_create(far, "victim");
    cr_assert_eq(write(victim, "mine", 4), 4);
    close(victim);
    char *target = bw_printf("%s/victim", outside);
    cr_assert(!symlinkat(target, root, ".a.part") && !symlinkat(outside, root, "vdb") && !mkdirat(root, "png", 0777));
    int fd = file_create(root, ".a.part");
    cr_assert(fd >= 0 && write(fd, "new", 3) == 3 && !close(fd));
    cr_expect(!fstatat(far, "victim", &st, 0) && st.st_size == 4, "%lld bytes", (long long)st.st_size);
    for (int make = 0; make < 2; make++) {
        errno = 0;
        cr_expect(file_folder_open(root, "vdb/a", make) < 0 && errno == ENOTDIR, "%s", strerror(errno));
        errno = 0;
        cr_expect(file_folder_open(root, "vdb/deep/a", make) < 0 && errno == ENOTDIR, "%s", strerror(errno));
    }
    cr_expect(fstatat(far, "deep", &st, 0) && file_folder_open(root, "tiff/a", false) < 0 && errno == ENOENT);
    fd = file_folder_open(root, "./png//deep/a", true);
    cr_expect(fd >= 0 && !fstatat(root, "png/deep", &st, 0) && S_ISDIR(st.st_mode));
    close(fd);
    cr_expect(!symlinkat(target, root, "b") && !file_settle(root, "b", &(struct file_facts){0}), "a link is no output");
    cr_expect(!mkfifoat(root, "c", 0666) && !file_settle(root, "c", &(struct file_facts){0}), "nor is a pipe");
    bw_free(target);
    folder_end(far, outside);
    folder_end(root, path);
}
