// SPDX-License-Identifier: Apache-2.0
#include "mux.h"

#include <libavformat/avformat.h>
#include <libavutil/avstring.h>

/// How many frames decoding is ahead of showing: then no packet is shown before it is decoded.
static int64_t packets_ahead(const struct bw_packets *p)
{
    int64_t ahead = 0;
    for (int64_t i = 0; i < p->count; i++)
        if (i - p->row[i].pts > ahead) ahead = i - p->row[i].pts;
    return ahead;
}

static int packets_write(const struct bw_packets *p, AVFormatContext *file, AVRational frame)
{
    const int64_t ahead = packets_ahead(p);
    AVPacket *packet = av_packet_alloc();
    int code = packet ? 0 : AVERROR(ENOMEM);
    for (int64_t i = 0; code >= 0 && i < p->count; i++) {
        const struct bw_packet *row = &p->row[i];
        code = av_new_packet(packet, (int)row->size);
        if (code < 0) break;
        memcpy(packet->data, p->bytes + row->at, (size_t)row->size);
        packet->pts = row->pts;
        packet->dts = i - ahead;
        packet->duration = 1;
        packet->flags = row->is_key ? AV_PKT_FLAG_KEY : 0;
        av_packet_rescale_ts(packet, frame, file->streams[0]->time_base);
        code = av_interleaved_write_frame(file, packet); // takes the packet's data
    }
    av_packet_free(&packet);
    return code;
}

static int stream_make(AVFormatContext *file, const AVCodecParameters *what, AVRational rate)
{
    AVStream *stream = avformat_new_stream(file, NULL);
    if (!stream) return AVERROR(ENOMEM);
    stream->time_base = av_inv_q(rate);
    stream->avg_frame_rate = rate;
    return avcodec_parameters_copy(stream->codecpar, what);
}

/// A name as FFmpeg opens it: what stands before a colon would be a protocol's name to it. NULL: out of memory.
static char *address_of(const char *path) { return av_asprintf("file:%s", path); }

static int file_write(AVFormatContext *file, const struct bw_packets *p, AVRational rate)
{
    AVDictionary *options = NULL;
    int code = avio_open(&file->pb, file->url, AVIO_FLAG_WRITE);
    av_dict_set(&options, "movflags", "+faststart", 0);
    if (code >= 0) code = avformat_write_header(file, &options);
    av_dict_free(&options);
    if (code >= 0) code = packets_write(p, file, av_inv_q(rate));
    if (code >= 0) code = av_write_trailer(file);
    return code >= 0 && file->pb->error ? file->pb->error : code;
}

int bw_mux(const struct bw_packets *p, const AVCodecParameters *what, AVRational rate, const char *path)
{
    AVFormatContext *file = NULL;
    char *address = address_of(path);
    int code = address ? avformat_alloc_output_context2(&file, NULL, "mp4", address) : AVERROR(ENOMEM);
    av_free(address);
    if (code < 0) return code;
    file->flags |= AVFMT_FLAG_BITEXACT; // no names of versions, no dates
    code = stream_make(file, what, rate);
    if (code >= 0) code = file_write(file, p, rate);
    const int closed = file->pb ? avio_closep(&file->pb) : 0;
    avformat_free_context(file);
    return code < 0 ? code : closed;
}

/* ---- back ---- */

/* As the encoder gave it: what follows from the packets the file says anew. */
static int what_take(const AVStream *stream, AVCodecParameters **what, AVRational *rate)
{
    const AVCodecParameters *new = stream->codecpar, *old = *what;
    if (old)
        return old->width == new->width && old->height == new->height && old->extradata_size == new->extradata_size &&
                       (!new->extradata_size ||
                        !memcmp(old->extradata, new->extradata, (size_t) new->extradata_size)) &&
                       !av_cmp_q(*rate, stream->avg_frame_rate)
                   ? 0
                   : AVERROR_PATCHWELCOME;
    *rate = stream->avg_frame_rate;
    *what = avcodec_parameters_alloc();
    int code = *what ? avcodec_parameters_copy(*what, new) : AVERROR(ENOMEM);
    if (code >= 0) (*what)->bit_rate = 0;
    return code;
}

static int packets_read(struct bw_packets *p, const struct bw_tools *tools, AVFormatContext *file, AVRational frame,
                        int64_t *frames)
{
    AVPacket *packet = av_packet_alloc();
    const int64_t first = *frames;
    int code = packet ? 0 : AVERROR(ENOMEM);
    while (code >= 0 && (code = av_read_frame(file, packet)) >= 0) {
        const int64_t at = first + av_rescale_q(packet->pts, file->streams[0]->time_base, frame);
        if (bw_packets_add(p, tools, packet->data, packet->size, at, packet->flags & AV_PKT_FLAG_KEY))
            code = AVERROR(ENOMEM);
        ++*frames;
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
    return code == AVERROR_EOF ? 0 : code;
}

int bw_demux(struct bw_packets *p, const struct bw_tools *tools, const char *path, int64_t *frames,
             AVCodecParameters **what, AVRational *rate)
{
    AVFormatContext *file = NULL;
    char *address = address_of(path);
    int code = address ? avformat_open_input(&file, address, av_find_input_format("mp4"), NULL) : AVERROR(ENOMEM);
    av_free(address);
    if (code >= 0 && file->nb_streams != 1) code = AVERROR_INVALIDDATA;
    if (code >= 0) code = what_take(file->streams[0], what, rate);
    if (code >= 0) code = packets_read(p, tools, file, av_inv_q(*rate), frames);
    avformat_close_input(&file);
    return code;
}
