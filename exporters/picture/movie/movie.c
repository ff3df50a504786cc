// SPDX-License-Identifier: Apache-2.0
#include "movie.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct bw_movie {
    const struct bw_tools *tools;
    AVFormatContext *file;
    AVCodecContext *codec;
    AVStream *stream;
    AVFrame *frame;
    AVPacket *packet;
    int64_t count;
    int started, failed;
};

/// One sentence from a libav error.
static enum bw_status movie_fail(struct bw_movie *m, int code, const char *what, char *why, size_t why_size)
{
    char text[128] = "";
    av_strerror(code, text, sizeof text);
    snprintf(why, why_size, "cannot %s the movie: %s", what, text);
    if (m) m->failed = 1;
    return code == AVERROR(ENOMEM) ? BW_ERR_MEMORY : BW_ERR_IO;
}

/// 24000/1001 and its like exactly, everything else as the nearest fraction.
static AVRational rate_of(double fps)
{
    double ntsc = fps * 1001 / 1000;
    if (fabs(ntsc - round(ntsc)) < 2e-3 && fabs(fps - round(fps)) > 1e-3)
        return (AVRational){(int)lround(ntsc) * 1000, 1001};
    return av_d2q(fps, 100000);
}

static AVCodecContext *codec_try(const AVCodec *codec, const struct bw_movie_options *o, int global_header)
{
    AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!c) return NULL;
    c->width = o->w;
    c->height = o->h;
    c->pix_fmt = AV_PIX_FMT_YUV420P;
    c->framerate = rate_of(o->fps);
    c->time_base = av_inv_q(c->framerate);
    c->gop_size = (int)fmax(1, lround(o->fps)); // a key frame a second: scrubbing stays quick
    c->thread_count = o->threads > 0 ? o->threads : 1;
    c->colorspace = AVCOL_SPC_BT709;
    c->color_primaries = AVCOL_PRI_BT709;
    c->color_trc = AVCOL_TRC_BT709;
    c->color_range = AVCOL_RANGE_MPEG;
    if (global_header) c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    c->bit_rate = (int64_t)(0.15 * o->w * o->h * o->fps); // for encoders without constant quality
    if (!strcmp(codec->name, "libx264")) {
        c->bit_rate = 0;
        av_opt_set_double(c->priv_data, "crf", o->crf, 0);
        av_opt_set(c->priv_data, "preset", "medium", 0);
        av_opt_set(c->priv_data, "profile", "high", 0);
        av_opt_set(c->priv_data, "x264-params", "aq-mode=3", 0); // bits for dark gradients
    }
    if (avcodec_open2(c, codec, NULL) < 0) avcodec_free_context(&c);
    return c;
}

/// The best encoder that opens: H.264 of any kind, else MPEG-4.
static AVCodecContext *codec_open(const struct bw_movie_options *o, int global_header)
{
    static const char *const names[] = {"libx264", "libopenh264", "h264_videotoolbox", "h264_nvenc", "mpeg4"};
    AVCodecContext *c = NULL;
    int level = av_log_get_level();
    for (size_t i = 0; i < sizeof names / sizeof *names && !c; i++) {
        av_log_set_level(AV_LOG_QUIET); // an encoder without its hardware says so at length
        c = codec_try(avcodec_find_encoder_by_name(names[i]), o, global_header);
    }
    av_log_set_level(level < AV_LOG_ERROR ? level : AV_LOG_ERROR);
    return c;
}

static int frame_make(struct bw_movie *m, const struct bw_movie_options *o)
{
    m->frame = av_frame_alloc();
    m->packet = av_packet_alloc();
    if (!m->frame || !m->packet) return AVERROR(ENOMEM);
    m->frame->format = AV_PIX_FMT_YUV420P;
    m->frame->width = o->w;
    m->frame->height = o->h;
    m->frame->color_range = AVCOL_RANGE_MPEG;
    m->frame->colorspace = AVCOL_SPC_BT709;
    return av_frame_get_buffer(m->frame, 0);
}

static enum bw_status movie_start(struct bw_movie *m, const char *path, const struct bw_movie_options *o, char *why,
                                  size_t why_size)
{
    int code = avformat_alloc_output_context2(&m->file, NULL, "mp4", path);
    if (code < 0) return movie_fail(m, code, "begin", why, why_size);
    m->codec = codec_open(o, m->file->oformat->flags & AVFMT_GLOBALHEADER);
    if (!m->codec) {
        snprintf(why, why_size, "no video encoder works here: install FFmpeg's libavcodec with libx264");
        return BW_ERR;
    }
    m->stream = avformat_new_stream(m->file, NULL);
    if (!m->stream) return movie_fail(m, AVERROR(ENOMEM), "begin", why, why_size);
    m->stream->time_base = m->codec->time_base;
    m->stream->avg_frame_rate = m->codec->framerate;
    code = avcodec_parameters_from_context(m->stream->codecpar, m->codec);
    if (code >= 0) code = frame_make(m, o);
    if (code >= 0) code = avio_open(&m->file->pb, path, AVIO_FLAG_WRITE);
    AVDictionary *options = NULL;
    av_dict_set(&options, "movflags", "+faststart", 0);
    if (code >= 0) code = avformat_write_header(m->file, &options);
    av_dict_free(&options);
    if (code < 0) return movie_fail(m, code, "begin", why, why_size);
    m->started = 1;
    return BW_OK;
}

enum bw_status bw_movie_open(const struct bw_tools *tools, const char *path, const struct bw_movie_options *o,
                             struct bw_movie **movie, const char **encoder, char *why, size_t why_size)
{
    char ignored[8];
    struct bw_movie *m = tools->alloc(tools->ctx, sizeof *m);
    *movie = NULL;
    if (!m) {
        snprintf(why, why_size, "out of memory for the movie");
        return BW_ERR_MEMORY;
    }
    m->tools = tools;
    enum bw_status status = movie_start(m, path, o, why, why_size);
    if (status) {
        m->failed = 1;
        bw_movie_close(m, ignored, sizeof ignored);
        return status;
    }
    *movie = m;
    *encoder = m->codec->codec->name;
    return BW_OK;
}

/// Luma of BT.709 in 0 … 1.
static float luma(const float *p) { return 0.2126f * p[0] + 0.7152f * p[1] + 0.0722f * p[2]; }

static uint8_t quantise(float v, float dither)
{
    v += dither;
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/// sRGB to limited-range Y'CbCr, chroma as the mean of 2×2 pixels; luma dithered like our PNGs.
static void frame_fill(AVFrame *f, const struct bw_image *img)
{
    for (int y = 0; y < img->h; y++)
        for (int x = 0; x < img->w; x++)
            f->data[0][y * f->linesize[0] + x] =
                quantise(16 + 219 * luma(img->px + 3 * ((size_t)y * (size_t)img->w + (size_t)x)), bw_pattern(x, y));
    for (int y = 0; y < img->h / 2; y++)
        for (int x = 0; x < img->w / 2; x++) {
            float mean[3] = {0};
            for (int k = 0; k < 4; k++)
                for (int c = 0; c < 3; c++)
                    mean[c] +=
                        0.25f *
                        img->px[3 * ((size_t)(2 * y + k / 2) * (size_t)img->w + (size_t)(2 * x + k % 2)) + (size_t)c];
            float l = luma(mean);
            f->data[1][y * f->linesize[1] + x] = quantise(128 + 224 * (mean[2] - l) / 1.8556f, 0.5f);
            f->data[2][y * f->linesize[2] + x] = quantise(128 + 224 * (mean[0] - l) / 1.5748f, 0.5f);
        }
}

/// Hand `frame` (NULL: no more) to the encoder and what it gives back to the file.
static int movie_encode(struct bw_movie *m, AVFrame *frame)
{
    int code = avcodec_send_frame(m->codec, frame);
    while (code >= 0) {
        code = avcodec_receive_packet(m->codec, m->packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return 0;
        if (code < 0) return code;
        m->packet->duration = 1;
        av_packet_rescale_ts(m->packet, m->codec->time_base, m->stream->time_base);
        m->packet->stream_index = m->stream->index;
        code = av_interleaved_write_frame(m->file, m->packet);
    }
    return code;
}

enum bw_status bw_movie_add(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size)
{
    if (img->w != m->codec->width || img->h != m->codec->height) {
        snprintf(why, why_size, "a frame of %d×%d pixels does not fit a movie of %d×%d", img->w, img->h,
                 m->codec->width, m->codec->height);
        return BW_ERR_USAGE;
    }
    int code = av_frame_make_writable(m->frame);
    if (code >= 0) {
        frame_fill(m->frame, img);
        m->frame->pts = m->count++;
        code = movie_encode(m, m->frame);
    }
    return code < 0 ? movie_fail(m, code, "write", why, why_size) : BW_OK;
}

enum bw_status bw_movie_close(struct bw_movie *m, char *why, size_t why_size)
{
    enum bw_status status = BW_OK;
    if (!m) return BW_OK;
    int code = 0;
    if (m->started && !m->failed) code = movie_encode(m, NULL);
    if (m->started && code >= 0) code = av_write_trailer(m->file);
    if (m->file && m->file->pb) {
        int closed = avio_closep(&m->file->pb);
        if (code >= 0) code = closed;
    }
    if (code < 0 && !m->failed) status = movie_fail(m, code, "finish", why, why_size);
    av_packet_free(&m->packet);
    av_frame_free(&m->frame);
    avcodec_free_context(&m->codec);
    avformat_free_context(m->file);
    m->tools->release(m->tools->ctx, m);
    return status;
}

const char *bw_movie_encoder(void)
{
    const AVCodec *h264 = avcodec_find_encoder_by_name("libx264");
    if (!h264) h264 = avcodec_find_encoder(AV_CODEC_ID_H264);
    if (!h264) h264 = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    return h264 ? h264->name : NULL;
}

void bw_movie_library(char *out, size_t size)
{
    unsigned version = avcodec_version();
    snprintf(out, size, "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
}
