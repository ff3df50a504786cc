# SPDX-License-Identifier: Apache-2.0
"""Memory: a hundred bakes in one process, and frames that go when nobody holds them."""
import gc
import resource
import weakref

import billow
from support import PUFF, Case

MIB = 1 << 20


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


class Memory(Case):
    def test_a_hundred_bakes(self):
        frames = []

        def look(frame):
            frames.append(frame["vel"].dense().nbytes)
        for n in range(100):
            billow.bake(text=PUFF, frames="1-1", threads=1, on_frame=look)
            if n == 19:
                before = resident()
        self.assertEqual(len(frames), 100)
        self.assertGreater(80 * sum(frames) / 100, 24 * MIB)  # what a leak of one field would add
        self.assertLess(resident() - before, 8 * MIB)

    def test_frames_go(self):
        kept = []
        billow.bake(text=PUFF, on_frame=kept.append)
        watch = weakref.ref(kept[0]._snapshot)
        array = next(kept[0]["density"].tiles()).values[0][2:5]
        kept.clear()
        gc.collect()
        self.assertIsNotNone(watch())
        del array
        gc.collect()
        self.assertIsNone(watch())

    def test_memory_comes_back(self):
        text, kept = PUFF.replace("voxel: 2 cm", "voxel: 0.5 cm"), []  # some 7 MiB a frame
        billow.bake(text=text, frames="1-1", on_frame=lambda f: None)
        before = resident()
        for _ in range(4):
            billow.bake(text=text, frames="1-1", on_frame=kept.append)
        held = resident() - before
        kept.clear()
        self.assertGreater(held, 24 * MIB)
        self.assertLess(resident() - before, held / 4)
