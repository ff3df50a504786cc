// SPDX-License-Identifier: Apache-2.0
#include "pixels.h"

#include <openexr.h>
#include <stdio.h>
#include <stdlib.h>

static void exr_silent(exr_const_context_t file, exr_result_t code, const char *text)
{
    (void)file;
    (void)code;
    (void)text;
}

/* Where the lines of a chunk go, as floats, channel by channel. */
static void channels_place(exr_decode_pipeline_t *lines, const struct bw_read_pixels *out, int y)
{
    for (int c = 0; c < lines->channel_count; c++) {
        exr_coding_channel_info_t *ch = &lines->channels[c];
        ch->user_data_type = EXR_PIXEL_FLOAT;
        ch->user_bytes_per_element = sizeof(float);
        ch->user_pixel_stride = out->channels * (int32_t)sizeof(float);
        ch->user_line_stride = ch->user_pixel_stride * out->width;
        ch->decode_to_ptr = (uint8_t *)(out->value + ((size_t)y * (size_t)out->width) * (size_t)out->channels + c);
    }
}

static exr_result_t lines_read(exr_context_t file, const struct bw_read_pixels *out, int low)
{
    exr_decode_pipeline_t lines = EXR_DECODE_PIPELINE_INITIALIZER;
    exr_chunk_info_t chunk;
    int32_t step = 1;
    exr_result_t r = exr_get_scanlines_per_chunk(file, 0, &step);
    for (int y = 0; !r && y < out->height; y += step) {
        r = exr_read_scanline_chunk_info(file, 0, y + low, &chunk);
        if (!r) r = y ? exr_decoding_update(file, 0, &chunk, &lines) : exr_decoding_initialize(file, 0, &chunk, &lines);
        if (r) break;
        if (lines.channel_count != out->channels) r = EXR_ERR_INVALID_ARGUMENT;
        if (!r) channels_place(&lines, out, y);
        if (!r && !y) r = exr_decoding_choose_default_routines(file, 0, &lines);
        if (!r) r = exr_decoding_run(file, 0, &lines);
    }
    exr_decoding_destroy(file, &lines);
    return r;
}

static exr_result_t form_read(exr_context_t file, struct bw_read_pixels *out, int *low)
{
    exr_attr_box2i_t box;
    const exr_attr_chlist_t *channels = NULL;
    exr_storage_t kind;
    exr_result_t r = exr_get_storage(file, 0, &kind);
    if (!r && kind != EXR_STORAGE_SCANLINE) r = EXR_ERR_FEATURE_NOT_IMPLEMENTED;
    if (!r) r = exr_get_data_window(file, 0, &box);
    if (!r) r = exr_get_channels(file, 0, &channels);
    if (r) return r;
    long long w = (long long)box.max.x - box.min.x + 1, h = (long long)box.max.y - box.min.y + 1;
    if (w < 1 || h < 1 || w > BW_PIXELS_EDGE || h > BW_PIXELS_EDGE || channels->num_channels < 1 ||
        channels->num_channels > BW_PIXELS_CHANNELS)
        return EXR_ERR_INVALID_ARGUMENT;
    *out = (struct bw_read_pixels){.width = (int)w,
                                   .height = (int)h,
                                   .channels = channels->num_channels,
                                   .bits = 8 * (channels->entries[0].pixel_type == EXR_PIXEL_HALF ? 2 : 4)};
    for (int c = 0; c < out->channels; c++)
        snprintf(out->name[c], sizeof out->name[c], "%s", channels->entries[c].name.str);
    *low = box.min.y;
    out->value = calloc(1, (size_t)w * (size_t)h * (size_t)out->channels * sizeof *out->value);
    return out->value ? EXR_ERR_SUCCESS : EXR_ERR_OUT_OF_MEMORY;
}

bool bw_pixels_read_exr(const char *path, struct bw_read_pixels *out)
{
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_context_t file = NULL;
    int low = 0;
    setup.error_handler_fn = exr_silent;
    exr_result_t r = exr_start_read(&file, path, &setup);
    if (!r) r = form_read(file, out, &low);
    if (!r) r = lines_read(file, out, low);
    if (file) exr_finish(&file);
    return !r;
}
