#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak.py BILLOW [REQUESTS]: a bake goes on while clients connect and vanish and ask for nonsense, all at once: nothing
is lost, memory stays flat, and the bake's bytes are those of one that nobody looked at. REQUESTS that are none: 1000,
some seconds; 100000 is the long form, some minutes.

Prints "N passed, N failed"."""
import filecmp
import glob
import os
import socket
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import server # noqa: E402
from served import WISP, Served, bake, check, verdict # noqa: E402

SHORT = bool(os.environ.get("BILLOW_TEST_SHORT"))
FRAMES, HANDS = 8 if SHORT else 40, 3


def listener(served):
    """A client of the event stream that stays."""
    a = server.Client(served)
    s = socket.create_connection(("127.0.0.1", a.port), timeout=3600)
    s.sendall(b"GET " + a.root.encode() + b"events HTTP/1.1\r\nHost: " + a.host.encode() + b"\r\n\r\n")

    def drain():
        try:
            while s.recv(65536):
                pass
        except OSError:
            pass

    threading.Thread(target=drain, daemon=True).start()
    return s


def concurrently(act, *args):
    """The same by several at once."""
    hands = [threading.Thread(target=act, args=args) for _ in range(HANDS)]
    for h in hands:
        h.start()
    for h in hands:
        h.join()


def main():
    billow = os.path.abspath(sys.argv[1])
    requests = int(sys.argv[2]) if len(sys.argv) > 2 else 200 if SHORT else 1000
    frames = ("--set", "time.frames=1-%d" % FRAMES)
    with tempfile.TemporaryDirectory(prefix="billow-soak-") as work:
        bake(billow, work + "/alone", *frames)
        served = Served(billow, "bake", WISP, "--view", "--out", work + "/seen", "--threads", "2", *frames)
        stays = listener(served)
        concurrently(server.connect_and_vanish, served)
        concurrently(server.malformed_send, served, requests // 4 // HANDS)
        server.wait(lambda: served.state()["ended"] is not None, 240)
        for frame in range(1, FRAMES + 1): # the server keeps frames that were looked at, to a bound: those first
            served.get("picture?frame=%d&w=64&h=64" % frame)
        concurrently(server.connect_and_vanish, served)
        before = served.memory()
        concurrently(server.malformed_send, served, 3 * requests // 4 // HANDS)
        concurrently(server.connect_and_vanish, served)
        after = served.memory()
        check("%d clients came and went, %d requests were none" % (2 * HANDS * server.VANISHING, requests), served.get("state")[0] == 200)
        check("a picture is made", served.get("picture?frame=3&w=64&h=64")[0] == 200)
        check("memory stays", SHORT or after < before + 12, "%.1f MiB, then %.1f MiB" % (before, after)) # a sanitizer keeps what is freed
        stays.close()
        check("the bake ends well", served.wait() == 0, served.words_said)
        names = sorted(os.path.basename(p) for p in glob.glob(work + "/alone/vdb/*.vdb"))
        same = [n for n in names if filecmp.cmp("%s/alone/vdb/%s" % (work, n), "%s/seen/vdb/%s" % (work, n), shallow=False)]
        check("… with the bytes of one that nobody saw", len(names) == FRAMES and same == names, (names, same))
    verdict()


if __name__ == "__main__":
    main()
