# SPDX-License-Identifier: Apache-2.0
"""Bakes: settings, callbacks, output, and what a refusal says."""
import copy
import logging
import os
import pathlib
import pickle
import threading

import numpy as np

import billow
from support import EXPORT, PUFF, Case, bits

TINY = PUFF.replace("radius: 15 cm", "radius: 4 cm")
GRUMBLING = PUFF.replace("mac.project: {}", "mac.project: {tolerance: 1e-12, max_iterations: 1}")  # can't converge


class Settings(Case):
    def resolved(self, settings=None, **words):
        return billow.check(text=PUFF, settings=settings, **words)["resolved"]

    def test_values(self):
        text = self.resolved({"domain.voxel": np.float64(0.04), "stages.emit.density": 2, "time.substeps": "2",
                              "domain.size": np.array([0.32, 0.32, 0.64]), "domain.sides": {"rest": "closed"}})
        self.assertRegex(text, r"voxel: 0\.04")
        self.assertRegex(text, r"density: 2\b")
        self.assertRegex(text, r"substeps: 2\b")
        self.assertRegex(text, r"size: \[0\.32, 0\.32, 0\.64\]")

    def test_paths_are_no_yaml(self):
        """A path that is given as one may hold whatever the system lets it hold."""
        for name in ("a: b.obj", '{"x"}.obj', "# one.obj", "*a, b.obj", "line\nend.obj", "\U0001f600\x85.obj", "c\\d.obj",
                     os.fsdecode(b"\xe9\xff.obj")):
            path = pathlib.Path(self.folder) / name
            path.write_text("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
            for value in ({"mesh": {"file": path}}, {"mesh": {"file": str(path)}}):
                self.assertIn("mesh", self.resolved({"stages.emit.shape": value}), name)
            self.assertIn("mesh", self.resolved({"stages.emit.shape": {"mesh": {"file": "gone.obj"}},
                                                 "stages.emit.shape.mesh.file": path}), name)

    def test_whole_numbers(self):
        for words in ({"seed": 1.7}, {"threads": 1.9}, {"frames": (1.5, 3)}, {"seed": "7"}):
            with self.assertRaises(billow.UsageError, msg=str(words)) as caught:
                billow.prepare(text=PUFF, **words).close()
            self.assertRegex(str(caught.exception), f"{next(iter(words))} (wants a whole number|are)")
        self.assertRegex(self.resolved(seed=np.int64(9), threads=np.uint8(2)), r"seed: 9\b")

    def test_texts(self):
        with self.assertRaisesRegex(TypeError, "a text is wanted, not 5"):
            billow.prepare(text=PUFF, memory=5)
        with billow.prepare(text=PUFF, out=os.fsencode(self.folder / "out")) as bake:
            self.assertEqual(bake.out, str(self.folder / "out"))

    def test_not_pickled(self):
        frames = []
        with billow.Session() as session:
            bake = session.bake(text=PUFF, frames="1-1", on_frame=frames.append)
            for thing in (session, bake, frames[0], frames[0]["density"]):
                for way in (pickle.dumps, copy.deepcopy):
                    with self.assertRaisesRegex(TypeError, "belongs to this process"):
                        way(thing)

    def test_lines(self):
        self.assertRegex(self.resolved(["domain.voxel=4 cm"]), r"voxel: 4 cm")

    def test_frames(self):
        for frames in ("2-3", (2, 3), range(2, 4)):
            checked = billow.check(text=PUFF, frames=frames)
            self.assertEqual((checked["first"], checked["last"]), (2, 3))

    def test_mute(self):
        self.assertNotIn("mac.forces", str(billow.check(text=PUFF, mute=["mac.forces"])["wiring"]))

    def refused(self, kind, pattern, *arguments, **words):
        with self.assertRaises(kind) as caught:
            billow.check(*arguments, **words)
        self.assertRegex(str(caught.exception), pattern)
        return caught.exception

    def test_no_values(self):
        self.refused(billow.UsageError, "domain.voxel is None", text=PUFF, settings={"domain.voxel": None})
        self.refused(billow.UsageError, "not JSON compliant", text=PUFF, settings={"domain.voxel": float("nan")})
        self.refused(billow.UsageError, "no value of a preset", text=PUFF, settings={"domain.voxel": object()})
        self.refused(billow.UsageError, "a mapping or a list", text=PUFF, settings="domain.voxel=1")
        self.refused(billow.UsageError, "mute is a list", text=PUFF, mute="vdb")
        self.refused(billow.UsageError, "frames are", text=PUFF, frames=(1, 2, 3))
        self.refused(billow.UsageError, "follow one another", text=PUFF, frames=range(5, 1))
        self.refused(billow.UsageError, "did you mean replace", text=PUFF, mode="replce")
        self.refused(billow.UsageError, "threads", text=PUFF, threads=-1)
        self.refused(billow.UsageError, "avx2", text=PUFF, simd="avx3")
        self.refused(billow.UsageError, "12G", text=PUFF, memory="lots")
        self.refused(billow.UsageError, "preset")
        self.refused(ValueError, "NUL", "plu\0me")

    def test_place_of_an_override(self):
        error = self.refused(billow.PresetError, 'did you mean "?voxel', text=PUFF, settings={"domain.voxl": 1})
        self.assertEqual((error.line, error.column), (1, 8))
        self.assertIn("^", error.text)

    def test_place_in_a_file(self):
        path = self.write("wrong.yaml", PUFF.replace("buoyancy: 1", "buoyancy: up").replace("radius", "radios"))
        error = self.refused(billow.PresetError, "radi", path)
        self.assertTrue(error.file.endswith("wrong.yaml"))
        self.assertEqual((error.line, error.count), (7, 2))
        self.assertGreater(error.column, 1)
        self.assertIn("buoyancy", error.text)

    def test_no_preset(self):
        self.refused(billow.PresetError, "did you mean", "plum")


class Callbacks(Case):
    def test_order(self):
        told = []
        bake = billow.bake(text=PUFF, frames="1-2", on_start=lambda: told.append("start"),
                           on_progress=lambda p: told.append(("progress", p.frame)) if p.frame_done else None,
                           on_frame=lambda f: told.append(("frame", f.number)))
        self.assertEqual(told, ["start", ("progress", 1), ("frame", 1), ("progress", 2), ("frame", 2)])
        self.assertEqual((bake.progress.done, bake.progress.total), (2, 2))
        self.assertIn("frame 2/2", bake.progress.line)
        self.assertGreater(bake.facts["seconds"], 0)

    def test_on_one_thread(self):
        seen = set()
        billow.bake(text=PUFF, on_frame=lambda f: seen.add(threading.get_ident()))
        self.assertEqual(len(seen), 1)
        self.assertNotIn(threading.get_ident(), seen)

    def test_log(self):
        lines = []
        billow.bake(text=GRUMBLING, frames="1-2", on_log=lambda *words: lines.append(words))
        self.assertIn(("warning", "mac.project"), [words[:2] for words in lines])
        self.assertTrue(all(level in ("debug", "info", "warning") for level, _who, _text in lines))

    def test_log_without_a_listener(self):
        with self.assertLogs("billow", logging.WARNING) as log:
            billow.bake(text=GRUMBLING, frames="1-2")
        self.assertIn("mac.project: ", log.output[0])


class Meshes(Case):
    """Each is read by a process of its own: by several bakes of one program at once, too."""

    def test_several_at_once(self):
        corners = [(x, y, z) for z in (0.1, 0.5) for y in (-0.2, 0.2) for x in (-0.1, 0.1)]
        faces = ((1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6))
        box = "".join("v %g %g %g\n" % c for c in corners) + "".join("f %d %d %d %d\n" % f for f in faces)
        for i in range(4):
            self.write(f"box{i}.obj", box)
        found = {}

        def run(i):
            text = PUFF.replace("sphere: {center: [0, 0, 0.3], radius: 15 cm}",
                                f"mesh: {{file: {self.folder}/box{i}.obj}}")
            with billow.Session() as session:
                session.bake(text=text, frames="1-2", on_frame=lambda f: found.__setitem__(i, bits(f)))

        before = os.getcwd()
        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        self.assertEqual(len(set(found.values())), 1)
        self.assertEqual(os.getcwd(), before)

    def test_what_is_wrong_is_a_sentence(self):
        path = self.write("cut.obj", "v 0 0 0\nf 1 2 3\n")
        text = PUFF.replace("sphere: {center: [0, 0, 0.3], radius: 15 cm}", f"mesh: {{file: {path}}}")
        with self.assertRaisesRegex(billow.Error, "cut.obj:2: a face names place 2, and there are 1 before it"):
            billow.bake(text=text)


class Output(Case):
    def test_folder(self):
        out, told = self.folder / "out", []
        bake = billow.bake(text=PUFF + EXPORT, out=out, on_output=lambda *words: told.append(words))
        self.assertEqual(bake.out, str(out))
        self.assertEqual(dict(told), bake.outputs)
        self.assertTrue(pathlib.Path(bake.outputs["cache"]).exists())
        self.assertFalse(bake.facts["up_to_date"])

    def test_again(self):
        out = self.folder / "out"
        billow.bake(text=PUFF + EXPORT, out=out)
        again = billow.bake(text=PUFF + EXPORT, out=out, on_frame=lambda f: self.fail("nothing is to be done"))
        self.assertTrue(again.facts["up_to_date"])
        self.assertIn("cache", again.outputs)
        with self.assertRaises(billow.UsageError):
            billow.bake(text=PUFF + EXPORT, settings={"domain.voxel": 0.04}, out=out)
        billow.bake(text=PUFF + EXPORT, settings={"domain.voxel": 0.04}, out=out, mode="replace")
        beside = billow.bake(text=PUFF + EXPORT, frames="1-1", out=out, mode="beside")
        self.assertTrue(beside.out.endswith("out_v002"))

    def test_overcommit(self):
        words = {"settings": {"domain.size": [400, 400, 400], "domain.voxel": 0.005}, "memory": "2G", "frames": "1-1",
                 "out": self.folder / "out"}
        with self.assertRaises(billow.LimitError):
            billow.bake(text=TINY + EXPORT, mode="replace", **words)
        self.assertEqual(billow.bake(text=TINY + EXPORT, overcommit=True, **words).progress.done, 1)

    def test_none(self):
        self.assertEqual(billow.bake(text=PUFF + EXPORT, frames="1-1").out, None)


class Started(Case):
    def test_wait(self):
        with billow.start(text=PUFF) as bake:
            self.assertTrue(bake.wait(60))
            self.assertTrue(bake.wait())
        self.assertTrue(bake.closed)
        self.assertEqual(bake.progress.done, 4)

    def test_two_at_once(self):
        def bake(buoyancy, threads, to):
            return billow.start(text=PUFF, settings={"stages.mac.forces.buoyancy": buoyancy}, threads=threads,
                                on_frame=lambda f: to.append(bits(f)))
        alone, at_once = ([], []), ([], [])
        for buoyancy in (1, 2):
            with bake(buoyancy, 2, alone[buoyancy - 1]) as one:
                one.wait()
        with bake(1, 1, at_once[0]) as one, bake(2, 2, at_once[1]) as other:
            one.wait()
            other.wait()
        self.assertEqual(alone, at_once)
        self.assertEqual([len(set(hashes)) for hashes in alone], [4, 4])
        self.assertFalse(set(alone[0][1:]) & set(alone[1][1:]))  # two different bakes
