# SPDX-License-Identifier: Apache-2.0
"""Finished caches: opened, counted, read, looked at."""
import os
import pathlib
import tempfile
import unittest.mock

import numpy as np

import billow
from support import EXPORT, PUFF, Case


class Baked(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out, cls.frames = pathlib.Path(folder.name) / "out", []
        billow.bake(text=PUFF + EXPORT, out=cls.out, on_frame=cls.frames.append)


class Caches(Baked):
    def test_like_the_bake(self):
        with billow.open(self.out) as cache:
            self.assertEqual((len(cache), cache.numbers), (4, [1, 2, 3, 4]))
            for frame, baked in zip(cache, self.frames):
                self.assertEqual(frame.number, baked.number)
                density, now = frame["density"], baked["density"]
                self.assertAlmostEqual(density.voxel, now.voxel)
                np.testing.assert_allclose(density.origin, now.origin, atol=1e-6)
                np.testing.assert_array_equal(density.dense(now.lo, now.shape), now.dense())

    def test_obstacles_are_kept(self):
        out = self.folder / "ball"
        ball = "  - collide: {shape: {sphere: {center: [0, 0, 0.6], radius: 12 cm}}}\n"
        billow.bake(text=PUFF.replace("stages:\n", "stages:\n" + ball) + "export:\n  - vdb: {}\n", out=out)
        solid = billow.open(out)[4]["solid"].dense()
        self.assertLess(solid.min(), -0.05)
        self.assertNotIn("solid", [f.name for f in billow.open(self.out)[4].fields])

    def test_outlives_the_cache(self):
        with billow.open(self.out) as cache:
            frame = cache[4]
        self.assertGreater(frame["density"].dense().max(), 0.5)
        with self.assertRaisesRegex(billow.UsageError, "closed"):
            cache[4]
        cache.close()

    def test_tiles(self):
        field = billow.open(self.out)[4]["density"]
        self.assertEqual(field.tile_count, 0)
        with self.assertRaisesRegex(billow.UsageError, "dense"):
            next(field.tiles())

    def test_wrong_names(self):
        cache = billow.open(self.out)
        with self.assertRaisesRegex(billow.UsageError, "no frame 9"):
            cache[9]
        for number in ("4", 4.0, 2**64 + 1, -2**63 - 1):
            with self.assertRaises(billow.UsageError):
                cache[number]
        with self.assertRaisesRegex(billow.UnknownNameError, "did you mean density"):
            cache[4]["densyti"]
        with self.assertRaises(billow.FileError) as caught:
            billow.open(self.folder / "nothing")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("nothing", str(caught.exception))

    def test_contains(self):
        cache = billow.open(self.out)
        opened, getitem = [], billow.Cache.__getitem__
        with unittest.mock.patch.object(billow.Cache, "__getitem__", lambda *a: opened.append(a) or getitem(*a)):
            self.assertEqual([n in cache for n in (1, 4, 5, 2**64 + 1, "4")], [True, True, False, False, False])
        self.assertEqual(opened, [])

    def test_gap(self):
        out = self.folder / "gap"
        bake = billow.bake(text=PUFF + EXPORT, out=out)
        files = sorted(out.rglob("*.vdb"))
        files[1].unlink()
        self.assertEqual(billow.open(out).numbers, [1, 3, 4])
        self.assertEqual([frame.number for frame in billow.open(bake.out)], [1, 3, 4])
        self.assertTrue(billow.check_cache(out)["problems"])
        self.assertEqual(billow.check_cache(self.out)["problems"], [])

    def test_hosts(self):
        self.assertTrue(billow.check_cache(self.out, "unreal")["problems"])
        made = billow.convert(self.out, "unreal", out=self.folder / "unreal")
        self.assertEqual((made["for"], made["files"]), ("unreal", len(billow.open(self.out).numbers)))
        self.assertEqual(billow.check_cache(made["out"], "unreal")["problems"], [])
        with self.assertRaises(billow.UsageError):
            billow.check_cache(self.out, "maya")

    def test_wide_gap(self):
        out = self.folder / "gap"
        billow.bake(text=PUFF + EXPORT, out=out)
        files = sorted(out.rglob("*.vdb"))
        far = 10**12
        files[3].rename(files[3].with_name(f"puff_{far}.vdb"))
        files[1].rename(files[1].with_name("puff_1003.vdb"))
        cache = billow.open(out)
        self.assertEqual(cache.describe()["ranges"], [[1, 1], [3, 3], [1003, 1003], [far, far]])
        self.assertEqual((len(cache), cache.numbers), (4, [1, 3, 1003, far]))
        self.assertEqual([frame.number for frame in cache], cache.numbers)

    def test_names_that_are_no_utf8(self):
        out = self.folder / os.fsdecode(b"caf\xe9 \xee\xbe\x80 \xc3\xa9")  # the second is what a byte stands as
        bake = billow.bake(text=PUFF + EXPORT, out=out, frames="1-1")
        self.assertEqual(bake.out, str(out))
        cache = billow.open(bake.out)
        self.assertEqual(os.path.dirname(cache.describe()["file"]), str(out / "vdb"))
        self.assertGreater(cache[1]["density"].dense().max(), 0.5)
        whole = billow.check_cache(out)
        self.assertEqual((whole["problems"], whole["sequences"][0]["files"]), ([], 1))
        self.assertTrue(whole["sequences"][0]["stem"].startswith(str(out)))
        self.assertEqual(billow.info(cache.describe()["file"])["file"]["file"], cache.describe()["file"])
        (out / "vdb" / "puff_0001.vdb").unlink()
        self.assertIn(str(out), billow.check_cache(out)["problems"][0])

    def test_torn_file(self):
        out = self.folder / "torn"
        billow.bake(text=PUFF + EXPORT, out=out)
        last = sorted(out.rglob("*.vdb"))[-1]
        whole = last.read_bytes()
        for n in (0, 60, 200, 1000, len(whole) // 2):
            last.write_bytes(whole[:n])
            with self.assertRaisesRegex(billow.FileError, "puff_0004"):
                billow.open(out)[4]


class Looks(Baked):
    def test_describe(self):
        told = billow.open(self.out).describe(flow=True)
        self.assertEqual(told["fps"], 25)
        self.assertAlmostEqual(told["voxel"], 0.02)

    def test_picture(self):
        picture = billow.open(self.out)[4].picture({"view": "slice", "size": 48})
        self.assertEqual((picture.shape[0], picture.shape[2], picture.dtype), (48, 3, np.uint8))
        self.assertGreater(int(picture.max()) - int(picture.min()), 50)

    def test_sheet(self):
        done = []
        sheet = self.folder / "sheet.png"
        billow.open(self.out).movie(sheet, {"view": "slice", "size": 32}, on_frame=lambda *n: done.append(n))
        self.assertEqual(sheet.read_bytes()[1:4], b"PNG")
        self.assertEqual(done[-1], (4, 4))

    def test_mosaic(self):
        picture = self.folder / "mosaic.png"

        def size(caches, **options):
            billow.mosaic(caches, picture, options={"size": 64}, **options)
            head = picture.read_bytes()[16:24]
            return int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")

        with billow.open(self.out) as cache:
            one, two, below = size([cache]), size([cache, cache]), size([cache, cache, None], columns=2)
            self.assertEqual(two[1], one[1])
            self.assertGreater(two[0], 1.7 * one[0])
            self.assertEqual(below[0], two[0])
            self.assertGreater(below[1], 1.7 * one[1])
            self.assertGreater(size([cache], labels=["a\nb"])[1], one[1] + 20)
            with self.assertRaisesRegex(billow.FileError, "none of the caches has a frame"):
                billow.mosaic([None], picture)
            with self.assertRaisesRegex(billow.UsageError, "ends in .mp4 or .png"):
                billow.mosaic([cache], self.folder / "mosaic.gif")

    def test_movie_is_stopped(self):
        def fall(_done, _total):
            raise RuntimeError("my own")
        with self.assertRaisesRegex(RuntimeError, "my own"):
            billow.open(self.out).movie(self.folder / "sheet.png", {"size": 32}, on_frame=fall)
        self.assertFalse((self.folder / "sheet.png").exists())

    def test_scene(self):
        self.assertIn("import bpy", billow.open(self.out).scene("blender"))
        with self.assertRaises(billow.Error):
            billow.open(self.out).scene("maya")


class Compared(Baked):
    def test_alike_and_not(self):
        again = self.folder / "again"
        billow.bake(text=PUFF + EXPORT, out=again)
        told = billow.compare(self.out, again)
        self.assertEqual((told["equal"], told["differences"]), (True, []))
        sorted(again.rglob("*.vdb"))[2].unlink()
        told = billow.compare(self.out, again)
        self.assertEqual([(one["file"], one["what"]) for one in told["differences"]], [("vdb/puff_0003.vdb", "only-a")])
        with self.assertRaises(billow.UsageError):
            billow.compare(self.out, self.folder / "nothing")
