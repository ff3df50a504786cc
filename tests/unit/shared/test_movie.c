// SPDX-License-Identifier: Apache-2.0
/* Movies: what players rely on, and that a resumed one has the bytes of an undisturbed one. */
#include "moving_picture.h"

#include <criterion/redirect.h>
#include <fcntl.h>
#include <libavformat/avformat.h>
#include <math.h>
#include <picture/movie/codec.h>
#include <picture/movie/movie.h>
#include <picture/movie/sheet.h>
#include <stdio.h>
#include <support/memory_archive.h>
#include <unistd.h>

static const struct bw_movie_options small = {64, 48, 24, 19};

static struct bw_movie *movie_new(const struct bw_movie_options *o)
{
    struct bw_movie *m;
    const char *encoder;
    char why[256];
    cr_assert_eq(bw_movie_open(&tools, o, &m, &encoder, why, sizeof why), BW_OK, "%s", why);
    return m;
}

static void movie_add(struct bw_movie *m, const struct bw_movie_options *o, int from, int to)
{
    char why[256];
    for (int f = from; f < to; f++) {
        struct bw_image img = picture(o->w, o->h, f);
        cr_assert_eq(bw_movie_add(m, &img, why, sizeof why), BW_OK, "%s", why);
        bw_image_free(&img);
    }
}

struct file {
    char path[32];
    uint8_t *bytes;
    long size;
};

static struct file movie_file(struct bw_movie *m)
{
    struct file f = {.path = "/tmp/billow-movie-XXXXXX"};
    char why[256];
    close(mkstemp(f.path));
    cr_assert_eq(bw_movie_write(m, f.path, why, sizeof why), BW_OK, "%s", why);
    FILE *in = fopen(f.path, "rb");
    fseek(in, 0, SEEK_END);
    f.size = ftell(in);
    rewind(in);
    f.bytes = malloc((size_t)f.size);
    cr_assert_eq(fread(f.bytes, 1, (size_t)f.size, in), (size_t)f.size);
    fclose(in);
    return f;
}

static void file_end(struct file *f)
{
    unlink(f->path);
    free(f->bytes);
}

static void files_equal(const struct file *a, const struct file *b, const char *what, int at)
{
    cr_assert_eq(a->size, b->size, "%s at frame %d: %ld bytes, not %ld", what, at, b->size, a->size);
    cr_assert_eq(memcmp(a->bytes, b->bytes, (size_t)a->size), 0, "%s at frame %d: other bytes", what, at);
}

/// A movie of n frames that was killed after k of them.
static struct file movie_resumed(const struct bw_movie_options *o, int k, int n)
{
    struct memory_archive a;
    struct bw_movie *m = movie_new(o);
    char why[256];
    memory_archive_init(&a);
    movie_add(m, o, 0, k);
    cr_assert_eq(bw_movie_checkpoint(m, &a.pub, why, sizeof why), BW_OK);
    movie_add(m, o, k, k + 3 < n ? k + 3 : n); // lost
    bw_movie_close(m);
    memory_archive_rewind(&a);
    m = movie_new(o);
    cr_assert_eq(bw_movie_checkpoint(m, &a.pub, why, sizeof why), BW_OK);
    cr_assert(memory_archive_emptied(&a));
    movie_add(m, o, k, n);
    struct file f = movie_file(m);
    bw_movie_close(m);
    memory_archive_free(&a);
    return f;
}

static struct file movie_straight(const struct bw_movie_options *o, int n)
{
    struct bw_movie *m = movie_new(o);
    movie_add(m, o, 0, n);
    struct file f = movie_file(m);
    bw_movie_close(m);
    return f;
}

Test(movie, resumed_has_the_same_bytes)
{
    static const int at[] = {0, 1, 23, 24, 25, 47, 48, 53, 55};
    struct file straight = movie_straight(&small, 55);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct file f = movie_resumed(&small, at[i], 55);
        files_equal(&straight, &f, "resumed", at[i]);
        file_end(&f);
    }
    file_end(&straight);
}

Test(movie, written_and_gone_on_with_has_the_same_bytes)
{
    struct bw_movie *m = movie_new(&small);
    struct file straight = movie_straight(&small, 30);
    movie_add(m, &small, 0, 27); // stopped and written in mid-group, then extended
    struct file early = movie_file(m);
    movie_add(m, &small, 27, 30);
    struct file f = movie_file(m);
    cr_assert_lt(early.size, f.size);
    files_equal(&straight, &f, "extended", 27);
    bw_movie_close(m);
    file_end(&early);
    file_end(&f);
    file_end(&straight);
}

/* ---- what players rely on ---- */

struct times {
    int frames, keys, forwards, turned; ///< turned: decoded in another order than shown
    int64_t first, longest;             ///< of shown frames, in frames
};

/// Reads packets: decoding goes forwards, never behind showing, and each frame of n is shown once.
static struct times movie_times(const char *path, double fps)
{
    struct times t = {.forwards = 1, .first = INT64_MAX};
    AVFormatContext *in = NULL;
    AVPacket *p = av_packet_alloc();
    cr_assert_eq(avformat_open_input(&in, path, NULL, NULL), 0);
    const AVStream *s = in->streams[0];
    const double frame = 1 / (av_q2d(s->time_base) * fps);
    for (int64_t before = INT64_MIN; av_read_frame(in, p) >= 0; t.frames++) {
        t.forwards &=
            p->dts > before && p->pts >= p->dts && fabs((double)p->pts / frame - rint((double)p->pts / frame)) < 1e-3;
        before = p->dts;
        t.turned += p->pts != p->dts;
        const int64_t shown = llrint((double)p->pts / frame);
        if (shown < t.first) t.first = shown;
        if (shown > t.longest) t.longest = shown;
        if (p->flags & AV_PKT_FLAG_KEY) t.keys++;
        av_packet_unref(p);
    }
    av_packet_free(&p);
    avformat_close_input(&in);
    return t;
}

Test(movie, times_are_those_of_the_frames)
{
    static const struct {
        double fps;
        int frames, keys;
    } row[] = {{24, 1, 1}, {24, 2, 1},   {24, 48, 2}, {24, 49, 3}, {24000 / 1001.0, 26, 2},
               {1, 13, 2}, {120, 50, 2}, {1e-5, 3, 1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct bw_movie_options o = {32, 32, row[i].fps, 19};
        struct file f = movie_straight(&o, row[i].frames);
        const struct times t = movie_times(f.path, row[i].fps);
        cr_assert_eq(t.frames, row[i].frames, "%d frames of %d", t.frames, row[i].frames);
        cr_assert(!t.turned || strcmp(bw_movie_encoder(), "libx264"), "%d frames come in another order", t.turned);
        cr_assert_geq(t.keys, row[i].keys, "%d key frames of %d frames at %g", t.keys, t.frames, row[i].fps);
        cr_assert(t.forwards && t.first == 0 && t.longest == row[i].frames - 1, "%d frames at %g: %lld to %lld",
                  t.frames, row[i].fps, (long long)t.first, (long long)t.longest);
        file_end(&f);
    }
}

/* ---- fine smoke stays as fine from frame to frame ---- */

enum { SMOKE_W = 160, SMOKE_H = 120, SMOKE_FRAMES = 48, SMOKE_PUFFS = 120 };

/// Soft puffs of 3 to 9 pixels that rise, each at its own pace, before an even wall.
static struct bw_image smoke(int frame)
{
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, SMOKE_W, SMOKE_H), BW_OK);
    for (int i = 0; i < 3 * SMOKE_W * SMOKE_H; i++) img.px[i] = 0.1f;
    for (int k = 1; k <= SMOKE_PUFFS; k++) {
        const float at[2] = {
            30 + 100 * fmodf(0.618f * (float)k, 1),
            fmodf(0.414f * (float)k * 120 - (0.6f + fmodf(0.732f * (float)k, 1)) * (float)frame + 240, 120)};
        const float radius = 3 + 6 * fmodf(0.236f * (float)k, 1), bright = 0.2f * fmodf(0.302f * (float)k, 1);
        for (int i = 0; i < SMOKE_W * SMOKE_H; i++) {
            const float x = (float)(i % SMOKE_W) - at[0], y = (float)(i / SMOKE_W) - at[1];
            const float v = bright * expf(-(x * x + y * y) / (radius * radius));
            for (int c = 0; c < 3; c++) img.px[3 * i + c] += v;
        }
    }
    return img;
}

/// The mean square of the Laplacian of a frame's luma.
static double fineness(const uint8_t *luma, int stride)
{
    double sum = 0;
    for (int y = 1; y + 1 < SMOKE_H; y++)
        for (int x = 1; x + 1 < SMOKE_W; x++) {
            const uint8_t *at = luma + x + y * stride;
            const double d = 4 * at[0] - at[-1] - at[1] - at[-stride] - at[stride];
            sum += d * d;
        }
    return sum;
}

/// Of each frame of a movie, in the order they are shown.
static int fineness_of(const char *path, double *out)
{
    AVFormatContext *file = NULL;
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    int n = 0;
    cr_assert_eq(avformat_open_input(&file, path, NULL, NULL), 0);
    AVCodecContext *codec = avcodec_alloc_context3(avcodec_find_decoder(file->streams[0]->codecpar->codec_id));
    avcodec_parameters_to_context(codec, file->streams[0]->codecpar);
    cr_assert_eq(avcodec_open2(codec, NULL, NULL), 0);
    for (bool more = true; more;) {
        more = av_read_frame(file, packet) >= 0;
        avcodec_send_packet(codec, more ? packet : NULL);
        av_packet_unref(packet);
        while (avcodec_receive_frame(codec, frame) >= 0 && n < SMOKE_FRAMES)
            out[n++] = fineness(frame->data[0], frame->linesize[0]);
    }
    avcodec_free_context(&codec);
    avformat_close_input(&file);
    av_frame_free(&frame);
    av_packet_free(&packet);
    return n;
}

/* B-frames, coarser than those around them, made smoke breathe six times a second, and key frames made it jump. */
Test(movie, smoke_is_as_fine_from_frame_to_frame)
{
    const struct bw_movie_options o = {SMOKE_W, SMOKE_H, 24, 19};
    struct bw_movie *m = movie_new(&o);
    double is[SMOKE_FRAMES], was[SMOKE_FRAMES], most = 0;
    char why[256];
    for (int f = 0; f < SMOKE_FRAMES; f++) {
        struct bw_image img = smoke(f);
        uint8_t luma[SMOKE_W * SMOKE_H];
        for (int i = 0; i < SMOKE_W * SMOKE_H; i++) luma[i] = (uint8_t)lrintf(16 + 219 * img.px[3 * i]);
        was[f] = fineness(luma, SMOKE_W);
        cr_assert_eq(bw_movie_add(m, &img, why, sizeof why), BW_OK, "%s", why);
        bw_image_free(&img);
    }
    struct file file = movie_file(m);
    cr_assert_eq(fineness_of(file.path, is), SMOKE_FRAMES);
    for (int f = 1; f < SMOKE_FRAMES; f++)
        most = fmax(most, fabs(sqrt(is[f] / was[f]) / sqrt(is[f - 1] / was[f - 1]) - 1));
    fprintf(stderr, "fineness changes by %.4f at most from frame to frame\n", most);
    cr_assert_lt(most, 0.05);
    file_end(&file);
    bw_movie_close(m);
}

Test(movie, says_nothing_of_when_and_by_which_version)
{
    struct file f = movie_straight(&small, 2);
    for (long i = 0; i + 4 < f.size; i++) cr_assert(memcmp(f.bytes + i, "Lavf", 4) && memcmp(f.bytes + i, "Lavc", 4));
    file_end(&f);
}

Test(movie, slower_than_files_can_say_is_refused)
{
    const struct bw_movie_options o = {64, 48, 1e-6, 19};
    struct bw_movie *m;
    const char *encoder;
    char why[256];
    cr_assert_eq(bw_movie_open(&tools, &o, &m, &encoder, why, sizeof why), BW_ERR_USAGE);
    cr_assert_str_eq(why, "a movie of 1e-06 frames a second; 1e-05 at least is wanted");
    cr_assert_null(m);
}

/// FFmpeg's own, for machines where there is no other.
Test(movie, the_last_resort_opens)
{
    AVCodecContext *c = bw_codec_open(&small, "mpeg4");
    cr_assert(c && !strcmp(c->codec->name, "mpeg4"));
    avcodec_free_context(&c);
    cr_assert_null(bw_codec_open(&small, "nobody's"));
}

/* ---- refusals ---- */

Test(movie, another_size_is_refused)
{
    struct bw_movie *m = movie_new(&small);
    struct bw_image img = picture(66, 48, 0);
    char why[256];
    cr_assert_eq(bw_movie_add(m, &img, why, sizeof why), BW_ERR_USAGE);
    cr_assert_str_eq(why, "a frame of 66×48 pixels does not fit a movie of 64×48");
    bw_image_free(&img);
    bw_movie_close(m);
}

Test(movie, folders_that_are_not_there_are_told)
{
    struct bw_movie *m = movie_new(&small);
    char why[256];
    movie_add(m, &small, 0, 1);
    cr_assert_eq(bw_movie_write(m, "/nowhere/at/all.mp4", why, sizeof why), BW_ERR_IO);
    cr_assert(strstr(why, "No such file"), "%s", why);
    bw_movie_close(m);
}

/* What FFmpeg says goes into the sentence, and nothing to the terminal. */
Test(movie, words_of_the_library_are_in_the_sentence)
{
    char path[] = "/tmp/billow-part-XXXXXX", why[600];
    const int fd = mkstemp(path);
    cr_assert_eq(write(fd, "\0\0\0\030ftypisom\0\0\2\0isomiso2\0\0\0\010free", 32), 32);
    close(fd);
    const char *parts[] = {path};
    cr_redirect_stderr();
    cr_expect_eq(bw_movie_join(&tools, parts, 1, "/tmp/billow-never.mp4", why, sizeof why), BW_ERR_IO);
    fflush(stderr);
    cr_expect_stderr_eq_str("");
    cr_expect(strstr(why, path) && strstr(why, "moov atom not found)"), "%s", why);
    unlink(path);
}

Test(movie, damaged_state_is_refused)
{
    struct memory_archive a;
    struct bw_movie *m = movie_new(&small);
    char why[256];
    memory_archive_init(&a);
    movie_add(m, &small, 0, 26);
    cr_assert_eq(bw_movie_checkpoint(m, &a.pub, why, sizeof why), BW_OK);
    bw_movie_close(m);
    for (int i = 0; i < a.n; i++)
        for (int how = 0; how < 2; how++) { // shorter; or, where numbers stand, nonsense
            struct memory_entry *e = &a.entry[i], kept = *e;
            char nonsense[32];
            if (how && strcmp(e->key, "movie.frames") && strcmp(e->key, "movie.packets")) continue;
            memset(nonsense, 0x41, sizeof nonsense);
            if (how) memcpy(e->data = memcpy(malloc(e->bytes), e->data, e->bytes), nonsense, 16);
            else e->bytes = e->bytes > 7 ? e->bytes - 7 : e->bytes + 7;
            m = movie_new(&small);
            memory_archive_rewind(&a);
            cr_assert_neq(bw_movie_checkpoint(m, &a.pub, why, sizeof why), BW_OK, "%s", e->key);
            bw_movie_close(m);
            if (how) free(e->data);
            *e = kept;
        }
    memory_archive_free(&a);
}

Test(movie, a_full_disk_is_told)
{
    struct bw_movie *m = movie_new(&small);
    char why[256];
    movie_add(m, &small, 0, 30);
    if (access("/dev/full", W_OK) == 0) {
        cr_assert_eq(bw_movie_write(m, "/dev/full", why, sizeof why), BW_ERR_IO);
        cr_assert_str_eq(why, "cannot write the movie: No space left on device");
    }
    struct file straight = movie_straight(&small, 30), f = movie_file(m); // elsewhere there is room
    files_equal(&straight, &f, "written again", 30);
    bw_movie_close(m);
    file_end(&f);
    file_end(&straight);
}

Test(movie, of_another_encoder_is_refused)
{
    struct memory_archive a;
    struct bw_movie *m = movie_new(&small);
    char why[256];
    memory_archive_init(&a);
    movie_add(m, &small, 0, 1);
    cr_assert_eq(bw_movie_checkpoint(m, &a.pub, why, sizeof why), BW_OK);
    bw_movie_close(m);
    static const char *const keys[] = {"movie.encoder", "movie.head"};
    for (int i = 0; i < 2; i++) { // as after another FFmpeg was installed
        char *byte = (char *)memory_entry_find(&a, keys[i])->data + 4, kept = *byte;
        *byte = 'X';
        m = movie_new(&small);
        memory_archive_rewind(&a);
        cr_assert_eq(bw_movie_checkpoint(m, &a.pub, why, sizeof why), BW_ERR_IO);
        cr_assert(strstr(why, "begun by another encoder"), "%s", why);
        bw_movie_close(m);
        *byte = kept;
    }
    memory_archive_free(&a);
}

/* ---- memory that ends ---- */

static struct {
    int left, held;
} heap;

static void *scarce_take(void *ctx, size_t bytes)
{
    void *memory = heap.left-- > 0 ? take(ctx, bytes) : NULL;
    heap.held += memory != NULL;
    return memory;
}

static void scarce_give(void *ctx, void *memory)
{
    heap.held -= memory != NULL;
    give(ctx, memory);
}

static const struct bw_tools scarce = {scarce_take, scarce_give, forwards, NULL};

/// 30 frames into a movie and a sheet, both saved and restored. What was taken is given back, whatever comes.
static enum bw_status all_of_it(const struct bw_image *img)
{
    struct memory_archive a;
    struct bw_movie *m = NULL, *again = NULL;
    struct bw_sheet s = {0}, resumed = {0};
    const char *encoder;
    char why[256];
    memory_archive_init(&a);
    enum bw_status status = bw_movie_open(&scarce, &small, &m, &encoder, why, sizeof why);
    for (int f = 0; f < 30 && !status; f++) status = bw_movie_add(m, img, why, sizeof why);
    for (int f = 0; f < 60 && !status; f++) status = bw_sheet_add(&s, &scarce, f, img);
    if (!status) status = bw_movie_checkpoint(m, &a.pub, why, sizeof why);
    if (!status) status = bw_sheet_checkpoint(&s, &scarce, &a.pub);
    memory_archive_rewind(&a);
    if (!status) status = bw_movie_open(&scarce, &small, &again, &encoder, why, sizeof why);
    if (!status) status = bw_movie_checkpoint(again, &a.pub, why, sizeof why);
    if (!status) status = bw_sheet_checkpoint(&resumed, &scarce, &a.pub);
    if (!status) status = bw_movie_write(again, "/dev/null", why, sizeof why);
    bw_movie_close(m);
    bw_movie_close(again);
    bw_sheet_free(&s, &scarce);
    bw_sheet_free(&resumed, &scarce);
    memory_archive_free(&a);
    return status;
}

Test(movie, each_lack_of_memory_is_told)
{
    struct bw_image img = picture(small.w, small.h, 0);
    int k = 0;
    enum bw_status status = BW_ERR_MEMORY;
    for (; k < 1000 && status == BW_ERR_MEMORY; k++) {
        heap.left = k;
        status = all_of_it(&img);
        cr_assert_eq(heap.held, 0, "%d blocks are lost after request %d failed", heap.held, k);
    }
    cr_assert(status == BW_OK && k > 100, "status %d after %d", status, k);
    bw_image_free(&img);
}
