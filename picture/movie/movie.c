// SPDX-License-Identifier: Apache-2.0
#include "load/movie_calls.h"
#include "codec.h"
#include "log/av_log.h"
#include "mux.h"
#include "packets.h"
#include "raw.h"

#include <stdio.h>
#include <string.h>

static const double FPS_LEAST = 1e-5; ///< the file counts a frame's length in 31 bits

struct bw_movie {
    const struct bw_tools *tools;
    struct bw_movie_options options;
    const char *encoder;
    AVCodecParameters *what; ///< the same of every group's encoder
    struct bw_packets packets;
    uint8_t **raw; ///< pictures of the group in the making: planes Y, Cb, Cr without gaps
    int32_t n_raw, group;
    int64_t done; ///< frames in packets
};

/// One sentence from a libav error.
static enum bw_status movie_fail(int code, const char *what, char *why, size_t why_size)
{
    char text[128] = "", more[256];
    av_strerror(code, text, sizeof text);
    bw_av_log_last(more, sizeof more);
    snprintf(why, why_size, "cannot %s the movie: %s%s", what, text, more);
    return code == AVERROR(ENOMEM) ? BW_ERR_MEMORY : BW_ERR_IO;
}

/* ---- begin and end ---- */

/// Which encoder works, and what it will write.
static enum bw_status encoder_find(struct bw_movie *m, char *why, size_t why_size)
{
    AVCodecContext *c = bw_codec_open(&m->options, NULL);
    if (!c && avcodec_find_encoder_by_name("libx264")) {
        snprintf(why, why_size, "out of memory for the movie: libx264 does not start");
        return BW_ERR_MEMORY;
    }
    if (!c) {
        snprintf(why, why_size, "no video encoder works here: install FFmpeg's libavcodec with libx264");
        return BW_ERR;
    }
    m->encoder = c->codec->name;
    m->what = avcodec_parameters_alloc();
    int code = m->what ? avcodec_parameters_from_context(m->what, c) : AVERROR(ENOMEM);
    avcodec_free_context(&c);
    return code < 0 ? movie_fail(code, "begin", why, why_size) : BW_OK;
}

static enum bw_status movie_start(struct bw_movie *m, char *why, size_t why_size)
{
    const struct bw_tools *tools = m->tools;
    if (m->options.fps < FPS_LEAST) {
        snprintf(why, why_size, "a movie of %g frames a second; %g at least is wanted", m->options.fps, FPS_LEAST);
        return BW_ERR_USAGE;
    }
    m->group = bw_codec_group(&m->options);
    m->raw = tools->alloc(tools->ctx, (size_t)m->group * sizeof *m->raw);
    if (m->raw) return encoder_find(m, why, why_size);
    snprintf(why, why_size, "out of memory for the movie");
    return BW_ERR_MEMORY;
}

static void movie_close(struct bw_movie *m)
{
    if (!m) return;
    const struct bw_tools *tools = m->tools;
    for (int32_t i = 0; m->raw && i < m->group; i++) tools->release(tools->ctx, m->raw[i]);
    tools->release(tools->ctx, m->raw);
    bw_packets_free(&m->packets, tools);
    avcodec_parameters_free(&m->what);
    tools->release(tools->ctx, m);
}

static enum bw_status movie_open(const struct bw_tools *tools, const struct bw_movie_options *o,
                                 struct bw_movie **movie, const char **encoder, char *why, size_t why_size)
{
    struct bw_movie *m = tools->alloc(tools->ctx, sizeof *m);
    *movie = NULL;
    if (!m) {
        snprintf(why, why_size, "out of memory for the movie");
        return BW_ERR_MEMORY;
    }
    *m = (struct bw_movie){.tools = tools, .options = *o};
    enum bw_status status = movie_start(m, why, why_size);
    if (status) {
        movie_close(m);
        return status;
    }
    *movie = m;
    *encoder = m->encoder;
    return BW_OK;
}

/* ---- pictures ---- */

static size_t raw_bytes(const struct bw_movie *m) { return bw_raw_bytes(m->options.w, m->options.h); }

/// The memory of the group's picture i, NULL: there is none. It serves the next groups too.
static uint8_t *raw_room(struct bw_movie *m, int32_t i)
{
    if (!m->raw[i]) m->raw[i] = m->tools->alloc(m->tools->ctx, raw_bytes(m));
    return m->raw[i];
}

/* ---- groups ---- */

static int frame_make(const struct bw_movie *m, AVFrame **frame)
{
    AVFrame *f = *frame = av_frame_alloc();
    if (!f) return AVERROR(ENOMEM);
    f->format = AV_PIX_FMT_YUV420P;
    f->width = m->options.w;
    f->height = m->options.h;
    f->color_range = AVCOL_RANGE_MPEG;
    f->colorspace = AVCOL_SPC_BT709;
    return av_frame_get_buffer(f, 0);
}

/// Hand `frame` (NULL: no more) to the encoder, and keep what it gives back.
static int frame_encode(struct bw_movie *m, AVCodecContext *c, AVFrame *frame, AVPacket *packet)
{
    int code = avcodec_send_frame(c, frame);
    while (code >= 0) {
        code = avcodec_receive_packet(c, packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return 0;
        if (code < 0) return code;
        const int is_key = packet->flags & AV_PKT_FLAG_KEY;
        if (bw_packets_add(&m->packets, m->tools, packet->data, packet->size, m->done + packet->pts, is_key))
            code = AVERROR(ENOMEM);
        av_packet_unref(packet);
    }
    return code;
}

static int pictures_encode(struct bw_movie *m, AVCodecContext *c, AVPacket *packet)
{
    AVFrame *frame = NULL;
    int code = frame_make(m, &frame);
    for (int32_t i = 0; code >= 0 && i < m->n_raw; i++) {
        code = av_frame_make_writable(frame);
        if (code < 0) break;
        bw_raw_frame(frame, m->raw[i]);
        frame->pts = i;
        code = frame_encode(m, c, frame, packet);
    }
    if (code >= 0) code = frame_encode(m, c, NULL, packet);
    av_frame_free(&frame);
    return code;
}

/// The group's pictures, as many as there are, as packets.
static int group_encode(struct bw_movie *m)
{
    if (!m->n_raw) return 0;
    AVCodecContext *c = bw_codec_open(&m->options, m->encoder);
    AVPacket *packet = av_packet_alloc();
    int code = c && packet ? pictures_encode(m, c, packet) : AVERROR(ENOMEM);
    av_packet_free(&packet);
    avcodec_free_context(&c);
    return code;
}

static int group_end(struct bw_movie *m)
{
    const int code = group_encode(m);
    m->done += m->n_raw;
    m->n_raw = 0;
    return code;
}

static void movie_quality(struct bw_movie *m, double crf) { m->options.crf = crf; }

static enum bw_status movie_add(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size)
{
    if (img->w != m->options.w || img->h != m->options.h) {
        snprintf(why, why_size, "a frame of %d×%d pixels does not fit a movie of %d×%d", img->w, img->h, m->options.w,
                 m->options.h);
        return BW_ERR_USAGE;
    }
    uint8_t *raw = raw_room(m, m->n_raw);
    if (!raw) return movie_fail(AVERROR(ENOMEM), "write", why, why_size);
    bw_raw_fill(raw, img);
    const int code = ++m->n_raw == m->group ? group_end(m) : 0;
    return code < 0 ? movie_fail(code, "write", why, why_size) : BW_OK;
}

static enum bw_status movie_write(struct bw_movie *m, const char *path, char *why, size_t why_size)
{
    const struct bw_packets whole = m->packets;
    int code = group_encode(m);
    if (code >= 0) code = bw_mux(&m->packets, m->what, bw_codec_rate(m->options.fps), path);
    m->packets.count = whole.count, m->packets.used = whole.used; // the last group may go on
    return code < 0 ? movie_fail(code, "write", why, why_size) : BW_OK;
}

static enum bw_status movie_join(const struct bw_tools *tools, const char *const *parts, int32_t count,
                                 const char *path, char *why, size_t why_size)
{
    struct bw_packets all = {0};
    AVCodecParameters *what = NULL;
    AVRational rate;
    int64_t frames = 0;
    bw_av_log_take();
    int code = count > 0 ? 0 : AVERROR(EINVAL);
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < count && code >= 0; i++) {
        code = bw_demux(&all, tools, parts[i], &frames, &what, &rate);
        if (code == AVERROR_PATCHWELCOME) {
            snprintf(why, why_size, "%s is a movie of another kind than %s", parts[i], parts[0]);
            status = BW_ERR_IO;
        } else if (code < 0) {
            char more[512];
            status = movie_fail(code, "join", more, sizeof more);
            snprintf(why, why_size, "%s: %s", parts[i], more);
        }
    }
    if (code >= 0 && (code = bw_mux(&all, what, rate, path)) < 0) status = movie_fail(code, "write", why, why_size);
    bw_packets_free(&all, tools);
    avcodec_parameters_free(&what);
    return status;
}

/// Pictures of another encoder can't follow: what players must know of it stands once, in the file's head.
static enum bw_status encoder_checkpoint(struct bw_movie *m, struct bw_archive *a, char *why, size_t why_size)
{
    const size_t bytes = (size_t)m->what->extradata_size;
    uint8_t *head = m->tools->alloc(m->tools->ctx, bytes + 1);
    char name[32] = "";
    snprintf(name, sizeof name, "%s", m->encoder);
    if (!head) return movie_fail(AVERROR(ENOMEM), a->restoring ? "restore" : "save", why, why_size);
    if (bytes) memcpy(head, m->what->extradata, bytes);
    enum bw_status status = a->bytes(a, "movie.encoder", name, sizeof name);
    const int other = !status && (strncmp(name, m->encoder, sizeof name) ||
                                  (a->restoring && a->stored(a, "movie.head") != (int64_t)bytes));
    if (!status && !other) status = a->bytes(a, "movie.head", head, bytes);
    if (other || (!status && bytes && memcmp(head, m->what->extradata, bytes))) {
        snprintf(why, why_size, "the movie was begun by another encoder (%.31s) than there is now (%s)", name,
                 m->encoder);
        status = BW_ERR_IO;
    }
    m->tools->release(m->tools->ctx, head);
    return status;
}

static enum bw_status pictures_checkpoint(struct bw_movie *m, struct bw_archive *a, int64_t count)
{
    enum bw_status status = BW_OK;
    char key[32];
    for (int32_t i = 0; !status && i < count; i++) {
        snprintf(key, sizeof key, "movie.picture.%d", i);
        status = raw_room(m, i) ? a->bytes(a, key, m->raw[i], raw_bytes(m)) : BW_ERR_MEMORY;
    }
    return status;
}

static enum bw_status movie_checkpoint(struct bw_movie *m, struct bw_archive *a, char *why, size_t why_size)
{
    int64_t head[2] = {m->done, m->n_raw};
    *why = 0;
    enum bw_status status = encoder_checkpoint(m, a, why, why_size);
    if (!status) status = a->bytes(a, "movie.frames", head, sizeof head);
    if (status) return status;
    if (head[0] >= 0 && head[0] <= INT32_MAX && head[1] >= 0 && head[1] < m->group) {
        status = bw_packets_checkpoint(&m->packets, m->tools, a);
        if (!status) status = pictures_checkpoint(m, a, head[1]);
    } else status = BW_ERR_IO;
    if (!status) m->done = head[0], m->n_raw = (int32_t)head[1];
    else
        snprintf(why, why_size, "%s",
                 status == BW_ERR_MEMORY ? "out of memory for the movie" : "the movie so far is damaged");
    return status;
}

/* ---- what there is ---- */

static const char *movie_encoder(void)
{
    const AVCodec *h264 = avcodec_find_encoder_by_name("libx264");
    if (!h264) h264 = avcodec_find_encoder(AV_CODEC_ID_H264);
    if (!h264) h264 = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    return h264 ? h264->name : NULL;
}

static void movie_library(char *out, size_t size)
{
    unsigned version = avcodec_version();
    snprintf(out, size, "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
}

__attribute__((visibility("default"))) const struct bw_movie_calls bw_movie_calls = {
    .open = movie_open,
    .quality = movie_quality,
    .add = movie_add,
    .write = movie_write,
    .close = movie_close,
    .checkpoint = movie_checkpoint,
    .group = bw_codec_group,
    .join = movie_join,
    .encoder = movie_encoder,
    .library = movie_library,
};
