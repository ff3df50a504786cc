// SPDX-License-Identifier: Apache-2.0
#include "mux.h"

#include <libavformat/avformat.h>

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

int bw_mux(const struct bw_packets *p, const AVCodecParameters *what, AVRational rate, const char *path)
{
    AVFormatContext *file = NULL;
    AVDictionary *options = NULL;
    int code = avformat_alloc_output_context2(&file, NULL, "mp4", path);
    if (code < 0) return code;
    file->flags |= AVFMT_FLAG_BITEXACT; // no names of versions, no dates
    code = stream_make(file, what, rate);
    if (code >= 0) code = avio_open(&file->pb, path, AVIO_FLAG_WRITE);
    av_dict_set(&options, "movflags", "+faststart", 0);
    if (code >= 0) code = avformat_write_header(file, &options);
    av_dict_free(&options);
    if (code >= 0) code = packets_write(p, file, av_inv_q(rate));
    if (code >= 0) code = av_write_trailer(file);
    if (code >= 0 && file->pb->error) code = file->pb->error;
    const int closed = file->pb ? avio_closep(&file->pb) : 0;
    avformat_free_context(file);
    return code < 0 ? code : closed;
}
