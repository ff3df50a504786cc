// SPDX-License-Identifier: Apache-2.0
/* The id of a VDB file is of its contents: the same grids make the same bytes, and others do not. */
#include <common/openvdb/bwvdb.h>
#include <common/openvdb/contents/identity.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_AT = VDB_ID_AT, ID_LENGTH = VDB_ID_LENGTH, ROOM = 1 << 16 };

struct bytes {
    char text[ROOM];
    size_t n;
};

static char path[] = "/tmp/identity-XXXXXX";

static void path_make(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static void path_remove(void) { remove(path); }

TestSuite(identity, .init = path_make, .fini = path_remove);

/* A file with one scalar, one vector grid and three points, all of them `value`. */
static void file_write(float value, uint32_t threads, struct bytes *out)
{
    struct bwvdb_error e;
    struct bwvdb_writer *w;
    float cells[512];
    const double pos[3][3] = {{0, 0, 0}, {1, 2, 3}, {1, (double)value, 3}};
    for (int i = 0; i < 512; i++) cells[i] = value;
    struct bwvdb_block block = {.origin = {-3, 5, 2}, .n = {8, 8, 8}, .data = {cells, cells, cells}};
    struct bwvdb_grid g = {.name = "density", .comps = 1, .half = 1, .voxel = 0.1, .blocks = &block, .n_blocks = 1};
    cr_assert_eq(bwvdb_writer_create(&(struct bwvdb_options){.threads = threads}, &w, &e), BWVDB_OK);
    cr_assert_eq(bwvdb_writer_add(w, &g, &e), BWVDB_OK);
    g.name = "vel", g.comps = 3;
    cr_assert_eq(bwvdb_writer_add(w, &g, &e), BWVDB_OK);
    cr_assert_eq(bwvdb_writer_points(w, &(struct bwvdb_points){.name = "p", .count = 3, .pos = pos}, &e), BWVDB_OK);
    cr_assert_eq(bwvdb_writer_write(w, path, &e), BWVDB_OK, "%s", e.text);
    bwvdb_writer_free(w);
    FILE *f = fopen(path, "rb");
    cr_assert(f);
    out->n = fread(out->text, 1, ROOM, f);
    fclose(f);
    cr_assert(out->n > 1000 && out->n < ROOM);
}

Test(identity, the_same_grids_make_the_same_bytes)
{
    static struct bytes a, b;
    file_write(0.5f, 1, &a);
    file_write(0.5f, 2, &b);
    cr_assert(a.n == b.n && memcmp(a.text, b.text, a.n) == 0);
}

Test(identity, other_grids_have_another_one)
{
    static struct bytes a, b;
    file_write(0.5f, 1, &a);
    file_write(0.25f, 1, &b);
    cr_assert(memcmp(a.text + ID_AT, b.text + ID_AT, ID_LENGTH) != 0);
}

/* xxxxxxxx-xxxx-8xxx-[89ab]xxx-xxxxxxxxxxxx, and OpenVDB reads the file. */
Test(identity, has_the_form_of_a_uuid)
{
    static struct bytes a;
    file_write(0.5f, 1, &a);
    const char *id = a.text + ID_AT;
    for (int i = 0; i < ID_LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        cr_assert(dash ? id[i] == '-' : strchr("0123456789abcdef", id[i]) != NULL, "%.36s", id);
    }
    cr_assert(id[14] == '8' && strchr("89ab", id[19]), "%.36s", id);
    struct bwvdb_file *f;
    struct bwvdb_error e;
    cr_assert_eq(bwvdb_open(path, &f, &e), BWVDB_OK, "%s", e.text);
    cr_assert_eq(bwvdb_count(f), 3);
    bwvdb_close(f);
}

Test(identity, what_is_no_vdb_file_is_none_of_ours)
{
    static const char text[] = "a text of more than fifty-seven characters, which holds no id at all";
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(text, 1, sizeof text, f) == sizeof text);
    fclose(f);
    cr_assert_eq(vdb_identity_check(path), VDB_IDENTITY_FOREIGN);
}

/* Whatever bit of a file turns, it is seen; only those of the version may make it somebody else's. */
Test(identity, a_bit_that_turned_is_seen)
{
    static struct bytes a;
    file_write(0.5f, 1, &a);
    cr_assert_eq(vdb_identity_check(path), VDB_IDENTITY_GOOD);
    for (size_t at = 0; at < a.n; at += 1 + a.n / 97) {
        bool version = at == ID_AT + 14, dash = at >= ID_AT && at < ID_AT + ID_LENGTH && a.text[at] == '-';
        a.text[at] ^= 4;
        FILE *f = fopen(path, "wb");
        cr_assert(f && fwrite(a.text, 1, a.n, f) == a.n && fclose(f) == 0);
        a.text[at] ^= 4;
        if (!version && !dash) cr_assert_eq(vdb_identity_check(path), VDB_IDENTITY_DAMAGED, "byte %zu", at);
    }
    cr_assert_eq(vdb_identity_check("/nowhere/at/all.vdb"), VDB_IDENTITY_FOREIGN);
}
