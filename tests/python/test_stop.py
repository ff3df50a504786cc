# SPDX-License-Identifier: Apache-2.0
"""Bakes that are stopped: by the caller, by a callback, by Ctrl-C; and callbacks that do what they must not."""
import gc
import signal
import threading
import time
import traceback
import warnings

import billow
from billow._library import lib
from support import PUFF, Case, bits, child

LONG = PUFF.replace("frames: 1-4", "frames: 1-100000")


class Cancelled(Case):
    def test_by_the_caller(self):
        seen = threading.Event()
        with billow.start(text=LONG, on_frame=lambda f: seen.set()) as bake:
            self.assertTrue(seen.wait(60))
            self.assertFalse(bake.wait(0))
            bake.cancel()
            with self.assertRaises(billow.Cancelled):
                bake.wait()
        self.assertLess(bake.progress.done, 100000)

    def test_from_another_thread(self):
        with billow.start(text=LONG) as bake:
            threading.Timer(0.02, bake.cancel).start()
            with self.assertRaises(billow.Cancelled):
                bake.wait()

    def test_by_leaving_the_block(self):
        with billow.start(text=LONG) as bake:
            pass
        self.assertTrue(bake.closed)

    def test_in_a_callback(self):
        frames = []

        def look(frame):
            frames.append(frame.number)
            if frame.number == 3:
                raise billow.Cancelled("enough seen")
        with self.assertRaisesRegex(billow.Cancelled, "enough seen"):
            billow.bake(text=LONG, on_frame=look)
        self.assertEqual(frames, [1, 2, 3])

    def test_dropped(self):
        bake = billow.start(text=LONG)
        with self.assertWarns(ResourceWarning):
            del bake
            gc.collect()


class Raised(Case):
    def raising(self, error, **words):
        def fall(*_words):
            raise error
        try:
            billow.bake(text=LONG, **{name: fall for name in words})
        except BaseException as caught:
            self.assertIs(caught, error)
        else:
            self.fail("nothing was raised")
        self.assertIn("fall", [entry.name for entry in traceback.extract_tb(error.__traceback__)])

    def test_frame(self):
        self.raising(RuntimeError("my own"), on_frame=1)

    def test_progress(self):
        self.raising(ZeroDivisionError(), on_progress=1)

    def test_start(self):
        self.raising(LookupError(), on_start=1)

    def test_exit(self):
        self.raising(SystemExit(3), on_frame=1)

    def test_in_the_last_frame(self):
        def look(frame):
            if frame.number == 4:
                raise RuntimeError("late")
        with self.assertRaisesRegex(RuntimeError, "late"):
            billow.bake(text=PUFF, on_frame=look)

    def test_only_the_first(self):
        calls = []

        def fall(progress):
            if progress.frame_done:  # on_frame would be next
                calls.append(1)
                raise RuntimeError(len(calls))
        with self.assertRaisesRegex(RuntimeError, "1"):
            billow.bake(text=LONG, on_progress=fall, on_frame=calls.append)
        self.assertEqual(calls, [1])


class Misuse(Case):
    def test_order(self):
        bake = billow.prepare(text=PUFF)
        with self.assertRaisesRegex(billow.UsageError, "never started"):
            bake.wait()
        bake.start()
        with self.assertRaisesRegex(billow.UsageError, "once"):
            bake.start()
        bake.wait()
        bake.close()
        bake.close()
        bake.cancel()
        for call in (bake.wait, bake.start, bake.describe, bake.check, bake.__enter__):
            with self.assertRaisesRegex(billow.UsageError, "closed"):
                call()
        self.assertEqual(bake.facts["last"], 4)

    def test_cancelled_before_the_start(self):
        with billow.prepare(text=PUFF) as bake:
            bake.cancel()
            bake.start()
            with self.assertRaises(billow.Cancelled):
                bake.wait()

    def test_wait_in_its_own_callback(self):
        self.own_callback(lambda bake: bake.wait(), "can't wait")

    def test_close_in_its_own_callback(self):
        self.own_callback(lambda bake: bake.close(), "can't wait")

    def own_callback(self, act, pattern):
        bake = billow.prepare(text=LONG, on_frame=lambda frame: act(bake))
        with bake.start(), self.assertRaisesRegex(billow.UsageError, pattern):
            bake.wait()

    def test_a_bake_in_a_callback(self):
        inner, alone = [], []
        billow.bake(text=PUFF, on_frame=lambda f: alone.append(bits(f)))
        outer = []

        def look(frame):
            outer.append(bits(frame))
            if frame.number == 2:
                billow.bake(text=PUFF, on_frame=lambda f: inner.append(bits(f)))
        billow.bake(text=PUFF, on_frame=look)
        self.assertEqual((inner, outer), (alone, alone))
        self.assertEqual(len(alone), 4)

    def test_dropped_in_its_own_callback(self):
        done = threading.Event()

        def look(_frame):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                held.clear()
                gc.collect()
            done.set()
        held = [billow.prepare(text=LONG, on_frame=look)]
        handle = held[0]._handle
        held[0].start()
        self.assertTrue(done.wait(60))
        end = time.monotonic() + 60
        while lib.bw_bake_wait(handle, 0) != -2 and time.monotonic() < end:  # a closed handle is refused
            time.sleep(0.01)
        self.assertEqual(lib.bw_bake_wait(handle, 0), -2)

    def test_closed_session(self):
        session = billow.Session()
        bake = session.prepare(text=PUFF, frames="1-1")
        session.close()
        session.close()
        with self.assertRaisesRegex(billow.UsageError, "closed"):
            session.list()
        with bake.start():
            self.assertTrue(bake.wait())


class Interrupted(Case):
    """SIGINT, as Ctrl-C sends it, to a Python of its own."""

    def interrupted(self, script):
        process = child("import sys, billow\nTEXT = '''" + LONG + "'''\n"
                        "def look(frame):\n    if frame.number == 2: print('baking', flush=True)\n" + script)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "baking\n")
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        return process.returncode, out, errors

    def test_blocking(self):
        code, out, errors = self.interrupted("try:\n    billow.bake(text=TEXT, on_frame=look)\n"
                                             "except KeyboardInterrupt:\n    print('stopped')\n")
        self.assertEqual((code, out, errors), (0, "stopped\n", ""))

    def test_uncaught(self):
        code, _out, errors = self.interrupted("billow.bake(text=TEXT, on_frame=look)\n")
        self.assertEqual(code, -signal.SIGINT)
        self.assertTrue(errors.rstrip().endswith("KeyboardInterrupt"), errors)

    def test_waiting(self):
        code, out, _errors = self.interrupted(
            "bake = billow.start(text=TEXT, on_frame=look)\ntry:\n    bake.wait()\nexcept KeyboardInterrupt:\n"
            "    print('still runs' if not bake.wait(0) else 'over')\nbake.cancel()\n"
            "try:\n    bake.wait()\nexcept billow.Cancelled:\n    print('cancelled')\n")
        self.assertEqual((code, out), (0, "still runs\ncancelled\n"))

    def test_a_handler_of_the_script(self):
        code, out, errors = self.interrupted(
            "import signal\nsignal.signal(2, lambda *_: print('mine') or bake.cancel())\n"
            "bake = billow.start(text=TEXT, on_frame=look)\ntry:\n    bake.wait()\n"
            "except billow.Cancelled:\n    print('cancelled')\n")
        self.assertEqual((code, out, errors), (0, "mine\ncancelled\n", ""))

    def test_the_end_of_a_script_that_still_bakes(self):
        process = child("import billow\nbake = billow.start(text='''" + LONG + "''')\nprint('end')\n")
        out, _errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, "end\n"))
