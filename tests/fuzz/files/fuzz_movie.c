// SPDX-License-Identifier: Apache-2.0
/* What a checkpoint says of a movie and its sheet: whatever it is, packets and thumbs are refused, or can be written
 * and drawn. The archive takes sizes and values from the bytes as they are asked for. */
#include "fuzz.h"

#include <libavutil/log.h>
#include <picture/movie/mux.h>
#include <picture/movie/packets.h>
#include <picture/movie/sheet.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    struct bw_archive pub; ///< first
    const uint8_t *bytes;
    size_t left;
};

static void stream_take(struct stream *s, void *to, size_t n)
{
    const size_t have = n < s->left ? n : s->left;
    if (n) memset(to, 0, n);
    if (have) memcpy(to, s->bytes, have);
    s->bytes += have;
    s->left -= have;
}

static enum bw_status stream_bytes(struct bw_archive *a, const char *key, void *data, size_t bytes)
{
    (void)key;
    stream_take(a->host_data, data, bytes);
    return BW_OK;
}

static int64_t stream_stored(struct bw_archive *a, const char *key)
{
    uint16_t size;
    (void)key;
    stream_take(a->host_data, &size, sizeof size);
    return (int64_t)size - 1;
}

static void *take(void *ctx, size_t bytes)
{
    (void)ctx;
    return calloc(1, bytes ? bytes : 1);
}

static void give(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static const struct bw_tools tools = {take, give, NULL, NULL};

static void packets_try(struct stream *s)
{
    struct bw_packets p = {0};
    AVCodecParameters *what = avcodec_parameters_alloc();
    if (what && bw_packets_checkpoint(&p, &tools, &s->pub) == BW_OK) {
        what->codec_type = AVMEDIA_TYPE_VIDEO;
        what->codec_id = AV_CODEC_ID_H264;
        what->width = what->height = 16;
        bw_mux(&p, what, (AVRational){24, 1}, "/dev/null");
    }
    avcodec_parameters_free(&what);
    bw_packets_free(&p, &tools);
}

static void sheet_try(struct stream *s)
{
    struct bw_sheet sheet = {0};
    struct bw_image img = {0}, more = {0};
    if (bw_sheet_checkpoint(&sheet, &tools, &s->pub) == BW_OK) {
        if (bw_sheet_draw(&sheet, &tools, &img) == BW_OK) bw_image_free(&img);
        for (int64_t f = 0; f < 2 && !bw_image_init(&more, &tools, 8, 8); f++) {
            bw_sheet_add(&sheet, &tools, f, &more);
            bw_image_free(&more);
        }
        if (bw_sheet_draw(&sheet, &tools, &img) == BW_OK) bw_image_free(&img);
    }
    bw_sheet_free(&sheet, &tools);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < 1) return 0;
    struct stream s = {{sizeof s.pub, 1, stream_bytes, stream_stored, &s}, bytes + 1, n - 1};
    av_log_set_level(AV_LOG_QUIET);
    if (bytes[0] & 1) packets_try(&s);
    else sheet_try(&s);
    return 0;
}
