// SPDX-License-Identifier: Apache-2.0
/* Contact sheets: frames of all of a movie, and that a resumed one is the same. */
#include "moving_picture.h"

#include <picture/movie/sheet.h>
#include <string.h>
#include <support/memory_archive.h>

static void sheet_add(struct bw_sheet *s, int64_t from, int64_t to)
{
    for (int64_t f = from; f <= to; f++) {
        struct bw_image img = picture(40, 30, (int)f);
        cr_assert_eq(bw_sheet_add(s, &tools, f, &img), BW_OK);
        bw_image_free(&img);
    }
}

Test(sheet, spreads_over_the_movie)
{
    struct bw_sheet s = {0};
    struct bw_image out;
    const struct bw_sheet_thumb *t[BW_SHEET_MAX];
    sheet_add(&s, 1001, 1096);
    cr_assert_eq(bw_sheet_choose(&s, t), BW_SHEET_MAX);
    for (int k = 0; k < BW_SHEET_MAX; k++) cr_assert_eq(t[k]->frame, 1008 + 8 * k);
    cr_assert_eq(bw_sheet_draw(&s, &tools, &out), BW_OK);
    cr_assert_eq(out.w, 4 * (40 + 6) + 6);
    bw_image_free(&out);
    bw_sheet_free(&s, &tools);
    cr_assert_eq(bw_sheet_draw(&s, &tools, &out), BW_ERR_USAGE);
}

/// Twelve frames, or all, in order, about evenly, the last one the newest: whatever the length turns out to be.
Test(sheet, is_even_at_every_length)
{
    struct bw_sheet s = {0};
    const struct bw_sheet_thumb *t[BW_SHEET_MAX];
    for (int64_t n = 1; n <= 1000; n++) {
        sheet_add(&s, n, n);
        const int count = bw_sheet_choose(&s, t);
        const double step = (double)n / count;
        cr_assert_eq(count, n < BW_SHEET_MAX ? n : BW_SHEET_MAX);
        for (int k = 0; k < count; k++) {
            const double wanted = (k + 1) * step;
            cr_assert_leq(fabs((double)t[k]->frame - wanted), 1 + step / 4, "frame %lld of %lld for %g",
                          (long long)t[k]->frame, (long long)n, wanted);
            cr_assert(!k || t[k]->frame > t[k - 1]->frame);
        }
        cr_assert_eq(t[count - 1]->frame, n);
    }
    bw_sheet_free(&s, &tools);
}

Test(sheet, resumed_is_the_same)
{
    static const int at[] = {0, 1, 47, 48, 49, 97, 109, 110};
    struct bw_sheet straight = {0};
    struct bw_image want, got;
    sheet_add(&straight, 1, 110);
    cr_assert_eq(bw_sheet_draw(&straight, &tools, &want), BW_OK);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct memory_archive a;
        struct bw_sheet s = {0}, again = {0};
        memory_archive_init(&a);
        sheet_add(&s, 1, at[i]);
        cr_assert_eq(bw_sheet_checkpoint(&s, &tools, &a.pub), BW_OK);
        memory_archive_rewind(&a);
        cr_assert_eq(bw_sheet_checkpoint(&again, &tools, &a.pub), BW_OK);
        cr_assert(memory_archive_emptied(&a));
        sheet_add(&again, at[i] + 1, 110);
        cr_assert_eq(bw_sheet_draw(&again, &tools, &got), BW_OK);
        cr_assert(got.w == want.w && got.h == want.h);
        cr_assert_eq(memcmp(got.px, want.px, 3 * sizeof(float) * (size_t)got.w * (size_t)got.h), 0, "at %d", at[i]);
        bw_image_free(&got);
        bw_sheet_free(&s, &tools);
        bw_sheet_free(&again, &tools);
        memory_archive_free(&a);
    }
    bw_image_free(&want);
    bw_sheet_free(&straight, &tools);
}

Test(sheet, damaged_state_is_refused)
{
    struct memory_archive a;
    struct bw_sheet s = {0};
    memory_archive_init(&a);
    sheet_add(&s, 1, 30);
    cr_assert_eq(bw_sheet_checkpoint(&s, &tools, &a.pub), BW_OK);
    bw_sheet_free(&s, &tools);
    for (int i = 0; i < 5; i++) { // numbers of the head: seen, stride, count, w, h
        int64_t *number = (int64_t *)memory_entry_find(&a, "sheet")->data + i, kept = *number;
        *number = 1 << 20;
        memory_archive_rewind(&a);
        cr_assert_neq(bw_sheet_checkpoint(&s, &tools, &a.pub), BW_OK, "number %d", i);
        bw_sheet_free(&s, &tools);
        *number = kept;
    }
    memory_archive_free(&a);
}
