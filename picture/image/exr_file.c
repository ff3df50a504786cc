// SPDX-License-Identifier: Apache-2.0
#include "exr_file.h"

#include <openexr.h>
#include <stdio.h>

/// The library would print; what went wrong is in our own sentence.
static void error_ignore(exr_const_context_t file, exr_result_t code, const char *text)
{
    (void)file;
    (void)code;
    (void)text;
}

static exr_result_t header_write(exr_context_t file, const struct bw_image *img, int has_alpha, const char *software,
                                 int *part)
{
    static const exr_attr_chromaticities_t rec709 = {0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f};
    static const char *const names[] = {"R", "G", "B", "A"};
    exr_result_t r = exr_add_part(file, "rgba", EXR_STORAGE_SCANLINE, part);
    if (!r) r = exr_initialize_required_attr_simple(file, *part, img->w, img->h, EXR_COMPRESSION_ZIP);
    for (int c = 0; !r && c < 3 + has_alpha; c++)
        r = exr_add_channel(file, *part, names[c], EXR_PIXEL_HALF, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    if (!r) r = exr_attr_set_chromaticities(file, *part, "chromaticities", &rec709);
    if (!r) r = exr_attr_set_string(file, *part, "software", software);
    return r ? r : exr_write_header(file);
}

/// Where each channel of the lines from y on comes from; the library turns floats into halves.
static void channels_place(exr_encode_pipeline_t *lines, const struct bw_image *img, const float *alpha, int y)
{
    const size_t row = (size_t)y * (size_t)img->w;
    for (int c = 0; c < lines->channel_count; c++) {
        exr_coding_channel_info_t *ch = &lines->channels[c];
        const char name = ch->channel_name[0];
        const int own = name == 'A';
        const float *from = own ? alpha + row : img->px + 3 * row + (name == 'R' ? 0 : name == 'G' ? 1 : 2);
        ch->user_data_type = EXR_PIXEL_FLOAT;
        ch->user_bytes_per_element = sizeof(float);
        ch->user_pixel_stride = (own ? 1 : 3) * (int32_t)sizeof(float);
        ch->user_line_stride = ch->user_pixel_stride * img->w;
        ch->encode_from_ptr = (const uint8_t *)from;
    }
}

static exr_result_t lines_write(exr_context_t file, int part, const struct bw_image *img, const float *alpha)
{
    exr_encode_pipeline_t lines = EXR_ENCODE_PIPELINE_INITIALIZER;
    exr_chunk_info_t chunk;
    int32_t step = 1;
    exr_result_t r = exr_get_scanlines_per_chunk(file, part, &step);
    for (int y = 0; !r && y < img->h; y += step) {
        r = exr_write_scanline_chunk_info(file, part, y, &chunk);
        if (!r)
            r = y ? exr_encoding_update(file, part, &chunk, &lines)
                  : exr_encoding_initialize(file, part, &chunk, &lines);
        if (r) break;
        channels_place(&lines, img, alpha, y);
        if (!y) r = exr_encoding_choose_default_routines(file, part, &lines);
        if (!r) r = exr_encoding_run(file, part, &lines);
    }
    exr_encoding_destroy(file, &lines);
    return r;
}

enum bw_status exr_file_write(const struct bw_image *img, const float *alpha, const char *path, const char *software,
                              char *why, size_t why_size)
{
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_context_t file = NULL;
    int part = 0;
    setup.error_handler_fn = error_ignore;
    exr_result_t r = exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &setup);
    if (!r) r = header_write(file, img, alpha != NULL, software, &part);
    if (!r) r = lines_write(file, part, img, alpha);
    const exr_result_t closed = file ? exr_finish(&file) : r;
    if (!r) r = closed;
    if (!r) return BW_OK;
    snprintf(why, why_size, "cannot write the picture %s: %s", path, exr_get_default_error_message(r));
    return r == EXR_ERR_OUT_OF_MEMORY ? BW_ERR_MEMORY : BW_ERR_IO;
}
