// SPDX-License-Identifier: Apache-2.0
/* VDB files that lie, are cut short, or are none: a sentence with the file's name, and never a signal. */
#include "bwvdb_world.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

TestSuite(bwvdb_hostile, .init = path_make, .fini = path_remove);

static void bump_write(uint32_t compression)
{
    static float in[N * N * N];
    bump(in);
    struct bwvdb_block block = {.origin = {-3, 5, -13}, .n = {N, N, N}, .data = {in}};
    struct bwvdb_grid g = {.name = "density",
                           .comps = 1,
                           .grid_class = BWVDB_CLASS_FOG_VOLUME,
                           .threshold = 1e-4f,
                           .voxel = 0.1,
                           .origin = {1, 2, 3},
                           .blocks = &block,
                           .n_blocks = 1};
    struct bwvdb_writer *w = writer_new(compression, 1);
    GOOD(bwvdb_writer_add(w, &g, &err));
    write_and_free(w);
}

static void refuse_file(const char *what)
{
    struct bwvdb_file *f = NULL;
    enum bwvdb_status s = bwvdb_open(path, &f, &err);
    for (int32_t g = 0; !s && g < bwvdb_count(f); g++) s = bwvdb_load(f, g, &err);
    cr_assert(s == BWVDB_ERR_IO, "%s: status %d, %s", what, s, err.text);
    cr_assert(strstr(err.text, path) && strlen(err.text) > strlen(path) + 20, "%s", err.text);
    bwvdb_close(f);
}

Test(bwvdb_hostile, foreign_absent_and_truncated_files_are_refused)
{
    refuse_file("empty");
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 200; i++) fputs("This is no volume. ", f);
    fclose(f);
    refuse_file("text");
    bump_write(BWVDB_NONE);
    f = fopen(path, "r");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fclose(f);
    for (long cut = size - 20; cut > 0; cut -= size / 9) {
        cr_assert(truncate(path, cut) == 0);
        char what[64];
        snprintf(what, sizeof what, "cut at %ld of %ld", cut, size);
        refuse_file(what);
    }
    remove(path);
    refuse_file("absent");
}

/* The whole file, to be freed. */
static unsigned char *file_read(long *size)
{
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    unsigned char *bytes = malloc((size_t)*size);
    cr_assert_eq(fread(bytes, 1, (size_t)*size, f), (size_t)*size);
    fclose(f);
    return bytes;
}

static void file_write(const unsigned char *bytes, long size)
{
    FILE *f = fopen(path, "wb");
    cr_assert_eq(fwrite(bytes, 1, (size_t)size, f), (size_t)size);
    fclose(f);
}

/* Byte by byte in turn something else: good or a sentence with the file's name, and never a signal. Sizes of chunks
 * that lie make OpenVDB's own reader write past its buffers. */
Test(bwvdb_hostile, no_changed_byte_is_a_crash)
{
    bump_write(BWVDB_BLOSC);
    long size;
    int refused = 0, tried = 0;
    unsigned char *bytes = file_read(&size);
    for (long i = 0; i < size; i += 1 + size / 700, tried++) {
        struct bwvdb_file *f = NULL;
        bytes[i] ^= 0xff;
        file_write(bytes, size);
        bytes[i] ^= 0xff;
        enum bwvdb_status s = bwvdb_open(path, &f, &err);
        for (int32_t g = 0; !s && g < bwvdb_count(f); g++) s = bwvdb_load(f, g, &err);
        cr_assert(!s || (s == BWVDB_ERR_IO && strstr(err.text, path)), "byte %ld: %d, %s", i, s, err.text);
        refused += s != BWVDB_OK;
        bwvdb_close(f);
    }
    free(bytes);
    cr_log_info("%d of %d refused", refused, tried);
    cr_assert(refused > tried / 10);
}

/* What the file says of its own box is not believed once its voxels are known. */
Test(bwvdb_hostile, a_wrong_box_is_put_right)
{
    bump_write(BWVDB_BLOSC);
    struct bwvdb_file *f = open_loaded();
    const struct bwvdb_info truth = *bwvdb_grid_info(f, 0);
    bwvdb_close(f);
    long size, at = 0;
    unsigned char *bytes = file_read(&size);
    static const char key[] = "file_bbox_max";
    while (at < size - 100 && memcmp(bytes + at, key, sizeof key - 1)) at++;
    cr_assert(at < size - 100, "no %s in the file", key);
    at += (long)sizeof key - 1 + 4 + 5 + 4; // "vec3i" with its length before it, the value's length
    const int32_t wrong = 1 << 30;
    cr_assert(!memcmp(bytes + at, truth.hi, sizeof truth.hi), "no box where it should be");
    memcpy(bytes + at, &wrong, sizeof wrong);
    file_write(bytes, size);
    free(bytes);
    GOOD(bwvdb_open(path, &f, &err));
    cr_assert_eq(bwvdb_grid_info(f, 0)->hi[0], wrong);
    GOOD(bwvdb_load(f, 0, &err));
    cr_assert_eq(bwvdb_grid_info(f, 0)->hi[0], truth.hi[0]);
    bwvdb_close(f);
}

/* The numbers of a transform: voxel and place, and their inverses, which the file holds too. */
Test(bwvdb_hostile, a_transform_that_is_none_is_refused)
{
    static const char map[] = "ScaleTranslateMap";
    const double wrong[] = {(double)NAN, 0, -1, 1e300, 1e-300, 3.25};
    bump_write(BWVDB_BLOSC);
    long size, at = 0;
    unsigned char *bytes = file_read(&size), kept[sizeof(double)];
    while (at < size - 200 && memcmp(bytes + at, map, sizeof map - 1)) at++;
    cr_assert(at < size - 200, "no %s in the file", map);
    at += (long)sizeof map - 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (int k = 3; k < 12; k++) { // scale, voxel, inverse scale
            memcpy(kept, bytes + at + 8 * k, sizeof kept);
            memcpy(bytes + at + 8 * k, &wrong[i], sizeof wrong[i]);
            file_write(bytes, size);
            struct bwvdb_file *f = NULL;
            enum bwvdb_status s = bwvdb_open(path, &f, &err);
            if (!s) s = bwvdb_load(f, 0, &err);
            bool may_be = k >= 6 && k < 9 && wrong[i] == 3.25; // told for convenience
            cr_assert(may_be || (s == BWVDB_ERR_IO && strstr(err.text, path)), "number %d as %g: %d", k, wrong[i], s);
            bwvdb_close(f);
            memcpy(bytes + at + 8 * k, kept, sizeof kept);
        }
    }
    file_write(bytes, size);
    free(bytes);
    bwvdb_close(open_loaded());
}

/* A pipe that nobody writes to is not waited for. */
Test(bwvdb_hostile, what_is_no_file_is_refused)
{
    remove(path);
    cr_assert(!mkfifo(path, 0600));
    refuse_file("a pipe");
    remove(path);
    cr_assert(!mkdir(path, 0700));
    refuse_file("a folder");
    rmdir(path);
    cr_assert(!symlink("/dev/zero", path));
    refuse_file("a device");
}
