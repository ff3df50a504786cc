// SPDX-License-Identifier: Apache-2.0
#include "codec.h"
#include "log/av_log.h"

#include <libavutil/opt.h>
#include <math.h>
#include <string.h>

/// Of the encoder, on every machine: what x264 writes depends on their number.
enum { THREADS = 4 };
enum { GROUP_LEAST = 12, GROUP_MOST = 48 };
static const double group_bytes = 64 << 20; ///< that raw pictures may take, as long as a group keeps its least length

AVRational bw_codec_rate(double fps)
{
    double ntsc = fps * 1001 / 1000;
    if (fabs(ntsc - round(ntsc)) < 2e-3 && fabs(fps - round(fps)) > 1e-3)
        return (AVRational){(int)lround(ntsc) * 1000, 1001};
    return av_d2q(fps, 100000);
}

int32_t bw_codec_group(const struct bw_movie_options *o)
{
    const double room = group_bytes / (1.5 * o->w * o->h);
    return (int32_t)fmax(GROUP_LEAST, fmin(fmin(round(o->fps), room), GROUP_MOST));
}

static AVCodecContext *codec_try(const AVCodec *codec, const struct bw_movie_options *o)
{
    AVCodecContext *c = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!c) return NULL;
    c->width = o->w;
    c->height = o->h;
    c->pix_fmt = AV_PIX_FMT_YUV420P;
    c->framerate = bw_codec_rate(o->fps);
    c->time_base = av_inv_q(c->framerate);
    c->gop_size = bw_codec_group(o);
    c->thread_count = THREADS;
    c->colorspace = AVCOL_SPC_BT709;
    c->color_primaries = AVCOL_PRI_BT709;
    c->color_trc = AVCOL_TRC_BT709;
    c->color_range = AVCOL_RANGE_MPEG;
    c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    c->bit_rate = (int64_t)(0.15 * o->w * o->h * o->fps); // for encoders without constant quality
    if (!strcmp(codec->name, "libx264")) {
        c->bit_rate = 0;
        av_opt_set_double(c->priv_data, "crf", o->crf, 0);
        av_opt_set(c->priv_data, "preset", "medium", 0);
        av_opt_set(c->priv_data, "profile", "high", 0);
        // Bits for dark gradients; nothing chosen by what the processor is good at; heads that suit all groups. Smoke
        // is as fine in every frame: B-frames and macroblock trees starve some of them, and key frames get more.
        av_opt_set(c->priv_data, "x264-params",
                   "aq-mode=3:cpu-independent=1:stitchable=1:bframes=0:mbtree=0:ipratio=1.2:scenecut=0", 0);
    }
    if (avcodec_open2(c, codec, NULL) < 0) avcodec_free_context(&c);
    return c;
}

AVCodecContext *bw_codec_open(const struct bw_movie_options *o, const char *name)
{
    static const char *const names[] = {"libx264", "libopenh264", "h264_videotoolbox", "h264_nvenc", "mpeg4"};
    AVCodecContext *c = NULL;
    bw_av_log_take(); // an encoder without its hardware says so at length
    for (size_t i = 0; i < sizeof names / sizeof *names && !c; i++)
        if (!name || !strcmp(name, names[i])) {
            const AVCodec *codec = avcodec_find_encoder_by_name(names[i]);
            c = codec_try(codec, o);
            if (codec && !c && i == 0) break; // it lacks memory: another one in its place would make another movie
        }
    if (c) bw_av_log_take();
    return c;
}
