# SPDX-License-Identifier: Apache-2.0
"""Read an EXR of ours with Blender's OpenEXR.

    blender -b --factory-startup --python tests/interop/blender_exr.py -- SMOKE.exr

Linear light that is multiplied by its alpha: nothing in the corners, the red box in the middle, no light where nothing
covers. Prints OK … or FAIL …."""
import os
import sys

import bpy
import numpy


def main(path):
    image = bpy.data.images.load(path)
    image.colorspace_settings.name, image.alpha_mode = "Raw", "CHANNEL_PACKED"
    assert image.is_float and image.channels == 4, (image.is_float, image.channels)
    pixels = numpy.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)
    alpha, light = pixels[:, :, 3], pixels[:, :, :3]
    assert image.size[1] == 120, image.size[:]
    assert alpha.min() == 0 and 0.9 < alpha.max() <= 1, (alpha.min(), alpha.max())
    assert alpha[0, 0] == alpha[-1, -1] == 0
    # A cover of less than 3e-8 rounds to none. Edges are sharpened, light is not: there it may have some 200 times as much.
    assert light[alpha == 0].max() < 1e-5 and light.min() >= 0, (light[alpha == 0].max(), light.min())
    red = light[alpha > 0.9].mean(axis=0)
    assert red[0] > 0.05 and red[0] > 5 * red[1] and red[0] > 5 * red[2], red
    assert 0.04 < (alpha > 0.5).mean() < 0.4, (alpha > 0.5).mean()
    print(f"OK {image.size[0]}x{image.size[1]}, {100 * (alpha > 0.5).mean():.0f} % covered, light {red}", flush=True)


try:
    main(sys.argv[sys.argv.index("--") + 1])
except Exception as error:  # Blender would print it and exit with 0
    print("FAIL " + repr(error), flush=True)
    os._exit(1)
os._exit(0)
