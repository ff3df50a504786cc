# SPDX-License-Identifier: Apache-2.0
"""Frames as arrays: what is a view and what a copy, boxes, tiles, particles, pictures."""
import gc
import unittest.mock

import numpy as np

import billow
from support import NESTED, PUFF, RING, Case, bits


def frames_of(text, **words):
    """All frames of a bake that is over and closed."""
    frames = []
    billow.bake(text=text, on_frame=frames.append, **words)
    return frames


class Fields(Case):
    @classmethod
    def setUpClass(cls):
        cls.frame = frames_of(PUFF)[-1]
        cls.density, cls.vel = cls.frame["density"], cls.frame["vel"]

    def test_names(self):
        self.assertLessEqual({"density", "temperature", "vel"}, set(self.frame))
        self.assertEqual(len(self.frame), len(list(self.frame)))
        self.assertEqual((self.frame.number, self.frame.fps), (4, 25))
        self.assertEqual((self.density.kind, self.vel.kind), ("scalar", "mac"))
        self.assertEqual((self.density.components, self.vel.components), (1, 3))
        self.assertEqual(self.vel.unit, "m/s")

    def test_wrong_name(self):
        with self.assertRaises(KeyError) as caught:
            self.frame["densty"]
        self.assertIn("did you mean density?", str(caught.exception))
        self.assertIsInstance(caught.exception, billow.Error)
        self.assertNotIn("densty", self.frame)
        with self.assertRaises(billow.UsageError):
            self.frame[3]

    def test_place(self):
        self.assertAlmostEqual(self.density.voxel, 0.02)
        x = self.density.centres(0)
        self.assertEqual(len(x), self.density.shape[0])
        self.assertAlmostEqual(x[0], self.density.origin[0] + (self.density.lo[0] + 0.5) * 0.02)
        values = self.density.dense()
        height = (values.sum((0, 1)) * self.density.centres(2)).sum() / values.sum()
        self.assertTrue(0.25 < height < 0.6, height)  # the source stands at 0.3 m, smoke rises

    def test_dense(self):
        values = self.density.dense()
        self.assertEqual((values.shape, values.dtype), (self.density.shape, np.float32))
        self.assertTrue(values.flags.f_contiguous and values.flags.writeable)
        self.assertTrue(0.5 < values.max() < 2)
        some = self.density.dense((4, 5, 6), (7, 8, 9))
        lo = np.array((4, 5, 6)) - self.density.lo
        np.testing.assert_array_equal(some, values[lo[0]:lo[0] + 7, lo[1]:lo[1] + 8, lo[2]:lo[2] + 9])

    def test_components(self):
        vectors = self.vel.dense()
        self.assertEqual(vectors.shape, self.vel.shape + (3,))
        np.testing.assert_array_equal(vectors[..., 2], self.vel.dense(component=2))
        faces = self.vel.dense(centred=False)
        np.testing.assert_allclose(vectors[:, :, :-1, 2], 0.5 * (faces[:, :, :-1, 2] + faces[:, :, 1:, 2]), atol=1e-6)

    def test_bad_boxes(self):
        for box in (((0, 0), (1, 1, 1)), ((0, 0, 0), (0, 1, -1)), ((0, 0, 0), None), ((0, 0, 0), (2**40, 1, 1)),
                    ((2**31 - 1, 0, 0), (1, 1, 1)), ((0, 0, 0), (1.5, 1, 1))):
            with self.assertRaises(billow.UsageError, msg=str(box)):
                self.density.dense(*box)
        with self.assertRaises(billow.UsageError):
            self.density.dense(component=1)

    def test_tiles(self):
        values = self.density.dense()
        rebuilt = np.full(self.density.shape, self.density.background[0], np.float32)
        tiles = list(self.density.tiles())
        self.assertEqual(len(tiles), self.density.tile_count)
        self.assertGreater(len(tiles), 2)
        for tile in tiles:
            lo = np.array(tile.lo) - self.density.lo
            n = np.minimum(tile.values[0].shape, np.array(self.density.shape) - lo)
            rebuilt[tuple(slice(a, a + m) for a, m in zip(lo, n))] = tile.values[0][:n[0], :n[1], :n[2]]
        np.testing.assert_array_equal(rebuilt, values)

    def test_views(self):
        first = [next(self.vel.tiles()).values[2] for _ in range(2)]
        self.assertTrue(np.shares_memory(*first))
        self.assertEqual((first[0].dtype, first[0].shape), (np.float32, (16, 16, 16)))
        self.assertEqual(first[0].strides, (4, 64, 1024))
        with self.assertRaises(ValueError):
            first[0][0, 0, 0] = 1
        with self.assertRaises(ValueError):
            first[0].flags.writeable = True

    def test_domains(self):
        frame = frames_of(NESTED)[0]
        self.assertEqual(set(frame), {("density", "near"), ("density", "wide")})
        with self.assertRaisesRegex(billow.UsageError, "near, wide"):
            frame["density"]
        self.assertEqual(frame["density", "near"].domain, "near")
        self.assertLess(frame["density", "near"].voxel, frame["density", "wide"].voxel)
        with self.assertRaises(billow.UnknownNameError):
            frame["density", "far"]
        keys = [("density", "near"), "density", ("density", "far"), "smoke", 5, None]
        self.assertEqual([key in frame for key in keys], [True, True, False, False, False, False])


class Looks(Case):
    def test_frames_in_a_look(self):
        """They count from the preset's first one, whichever of them are written."""
        all_of, last = frames_of(PUFF), frames_of(PUFF, frames="3-4")
        for exposure in ("=frame/8", "=seed*frame/56", {"keys": {1: 0.1, 4: 0.5, 8: 0.9}}):
            look = {"view": "render", "size": 48, "exposure": exposure}
            one, other = all_of[-1].picture(look), last[-1].picture(look)
            np.testing.assert_array_equal(one, other)
            plain = all_of[-1].picture({**look, "exposure": 0.5})
            np.testing.assert_array_equal(one, plain)
            self.assertTrue((one != all_of[1].picture(look)).any())


class Doubles(Case):
    def test_dtype(self):
        text = PUFF.replace("stages:", "fields: {exact: {kind: scalar, precision: f64}}\nstages:")
        frame = frames_of(text.replace("density: 1,", "density: 1, exact: 0.1,"), frames="1-1")[0]
        tile = next(frame["exact"].tiles())
        self.assertEqual(tile.values[0].dtype, np.float64)
        self.assertEqual(tile.values[0].max(), 0.1)


class Kept(Case):
    def test_frames_do_not_change(self):
        kept, then = [], []

        def look(frame):
            kept.append(frame)
            then.append(bits(frame))
        billow.bake(text=PUFF, on_frame=look)
        self.assertEqual([bits(frame) for frame in kept], then)
        self.assertEqual(len(set(then)), 4)

    def test_an_array_is_enough(self):
        array, copies = [], []

        def look(frame):
            array.append(next(frame["density"].tiles()).values[0])
            copies.append(array[-1].copy())
        billow.bake(text=PUFF, on_frame=look)
        gc.collect()
        for kept, copied in zip(array, copies):
            np.testing.assert_array_equal(kept, copied)
        self.assertEqual(len(array), 4)


class Particles(Case):
    @classmethod
    def setUpClass(cls):
        cls.frame = frames_of(RING)[-1]
        cls.name = next(name for name in cls.frame if isinstance(cls.frame[name], billow.Particles))

    def test_attributes(self):
        particles = self.frame[self.name]
        self.assertGreater(particles.count, 10)
        self.assertEqual(particles["pos"].shape, (particles.count, 3))
        self.assertEqual(particles["id"].dtype, np.int64)
        self.assertEqual(len(np.unique(particles["id"])), particles.count)
        self.assertTrue(np.shares_memory(particles["pos"], self.frame[self.name]["pos"]))
        radius = np.hypot(*particles["pos"][:, :2].T)
        self.assertTrue(0.05 < radius.mean() < 0.2)

    def test_read_only(self):
        for array in (self.frame[self.name]["pos"], self.frame[self.name].array()):
            with self.assertRaises(ValueError):
                array[0] = 0

    def test_structured(self):
        particles = self.frame[self.name]
        rows = particles.array()
        self.assertEqual(rows.dtype.names, tuple(particles))
        np.testing.assert_array_equal(rows["pos"], particles["pos"])
        np.testing.assert_array_equal(rows["id"], particles["id"])

    def test_wrong_name(self):
        with self.assertRaises(billow.UnknownNameError) as caught:
            self.frame[self.name]["poss"]
        self.assertIn("did you mean pos?", str(caught.exception))


class Pictures(Case):
    @classmethod
    def setUpClass(cls):
        cls.frame = frames_of(PUFF, frames="1-2")[-1]

    def test_slice(self):
        picture = self.frame.picture({"view": "slice", "size": 48})
        self.assertEqual((picture.shape[0], picture.shape[2], picture.dtype), (48, 3, np.uint8))
        self.assertGreater(int(picture.max()) - int(picture.min()), 50)

    def test_render(self):
        picture = self.frame.picture("view: render\nsize: 24", alpha=True)
        self.assertEqual((picture.shape[2], picture.dtype), (4, np.float32))
        self.assertTrue(0.1 < picture[..., 3].max() <= 1.0001)
        self.assertEqual(self.frame.picture({"view": "render", "size": 24}, light=True).dtype, np.float32)

    def test_view(self):
        view = self.frame.view()
        self.assertTrue(view.renders and view.box[0] < view.box[1])
        size = view.size
        self.assertTrue((view.picture() == self.frame.picture({"view": "render"})).all())
        self.assertEqual(view.picture(size=(40, 30)).shape, (30, 40, 3))
        front = view.picture(billow.Eye((0, -3, 0.3), (0, 0, 0.3)), size)
        self.assertTrue((front != view.picture(billow.Eye((3, 0, 0.3), (0, 0, 0.3)), size)).any())
        with self.assertRaisesRegex(billow.UsageError, "nothing can be seen"):
            view.picture(billow.Eye((0, 0, 0), (0, 0, 0)))

    def test_wrong_look(self):
        with self.assertRaisesRegex(billow.UsageError, "no flags 0xc"), \
                unittest.mock.patch.object(billow.frame, "ALPHA", 12):
            self.frame.picture(alpha=True)
        with self.assertRaises(billow.PresetError) as caught:
            self.frame.picture({"vew": "slice"})
        self.assertIn("did you mean", str(caught.exception))
