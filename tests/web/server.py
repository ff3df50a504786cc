#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server.py BILLOW: the page's server without a browser: authorization, malformed requests, clients that vanish, path
traversal, rate limits, and a watched bake, whose bytes are those of one that nobody watches.

Prints "N passed, N failed"."""
import filecmp
import glob
import json
import math
import os
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import Served, bake, check, movie_frames, verdict, wait # noqa: E402

SHORT = bool(os.environ.get("BILLOW_TEST_SHORT"))
MALFORMED = 200 if SHORT else 2000
VANISHING = 100


def raw_request(port, data, answer=True, ends=False):
    """What the server says to these bytes; `ends`: there are no more, which a request that is waiting takes for one
    whose sender has gone."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
        try:
            s.sendall(data)
            if not answer:
                return b""
            if ends:
                s.shutdown(socket.SHUT_WR)
            out = b""
            while len(out) < 1 << 20:
                more = s.recv(65536)
                if not more:
                    break
                out += more
            return out
        except OSError: # it was refused before it was all sent
            return b""


class Client:
    """A client with headers of its own."""

    def __init__(self, served):
        parts = urllib.parse.urlsplit(served.address)
        self.port, self.root = parts.port, parts.path
        self.host = "127.0.0.1:%d" % parts.port

    def request(self, path, method="GET", host=None, body=b"", **headers):
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: " + (host if host is not None else self.host),
                 "Connection: close"]
        lines += ["%s: %s" % (k.replace("_", "-"), v) for k, v in headers.items()]
        out = raw_request(self.port, "\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        found = re.match(rb"HTTP/1\.[01] (\d+)", out)
        return (int(found.group(1)) if found else 0), out


def authorization(served):
    a = Client(served)
    code, page = a.request(a.root)
    check("the page", code == 200 and b"<title>Billow" in page)
    for header in (b"Content-Security-Policy: default-src 'none'", b"X-Content-Type-Options: nosniff",
                   b"Cache-Control: no-store", b"Referrer-Policy: no-referrer", b"X-Frame-Options: DENY"):
        check("its header " + header.decode()[:40], header in page, page[:600])
    check("without the last slash it moves", a.request(a.root[:-1])[0] == 302)
    wrong = a.root[:-2] + ("0" if a.root[-2] != "0" else "1") + "/"
    for what, path in (("a wrong token", wrong), ("no token", "/"), ("half a token", a.root[:17] + "/"),
                       ("a token and more", a.root[:-1] + "0/"), ("a token of capitals", a.root.upper())):
        code, said = a.request(path + "state" if path != "/" else path)
        check(what + " is refused, in words", code == 403 and b"token" in said, (code, said[-300:]))
    for host, good in (("localhost:9000", 1), ("127.0.0.1", 1), ("[::1]:8420", 1), ("evil.example", 0),
                       ("127.0.0.1.evil.example", 0), ("evil.example:%d" % a.port, 0), ("", 0), ("10.0.0.1", 0),
                       ("localhost:x", 0), ("127.0.0.1@evil.example", 0)):
        check("host \"%s\" is %s" % (host, "answered" if good else "refused"),
              (a.request(a.root + "state", host=host)[0] == 200) == bool(good))
    check("no host at all is refused", b" 200 " not in raw_request(a.port, b"GET " + a.root.encode() + b" HTTP/1.0\r\n\r\n", ends=True)[:20])
    own = "http://" + a.host
    for origin, good in ((own, 1), ("http://evil.example", 0), ("null", 0), ("https://" + a.host, 0),
                         (own + ".evil.example", 0), ("http://127.0.0.1:1", 0)):
        check("origin %s is %s" % (origin, "answered" if good else "refused"),
              (a.request(a.root + "state", Origin=origin)[0] == 200) == bool(good))
    check("another site's request is refused", a.request(a.root + "state", Sec_Fetch_Site="cross-site")[0] == 403)
    check("the page's own is answered", a.request(a.root + "state", Sec_Fetch_Site="same-origin")[0] == 200)


def bad_requests(served):
    a = Client(served)
    for path in ("../../../../etc/passwd", "..%2f..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd",
                 "metrics.csv/../bake.log", "./metrics.csv", "bake.log", "resolved.yaml", "vdb/wisp_0001.vdb",
                 "static_files.c", "index.html/"):
        code, said = a.request(a.root + path)
        check("%s leads nowhere" % path, code in (400, 403, 404) and b"root:" not in said and b"wisp" not in said, code)
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        check(method + " of the state is refused", a.request(a.root + "state", method)[0] == 405)
    check("GET does not stop", a.request(a.root + "stop")[0] == 405)
    check("there is no bake to stop", a.request(a.root + "stop", "POST")[0] == 409)
    check("GET goes on with nothing", a.request(a.root + "resume")[0] == 405)
    check("nobody else's page does", a.request(a.root + "resume?last=99", "POST", Origin="http://evil.example")[0] == 403)
    for last in ("0", "-3", "x", "1e3", "12;rm", ""):
        check("last frame \"%s\" is refused" % last, a.request(a.root + "resume?last=" + last, "POST")[0] == 400)
    check("a last frame that is too far", a.request(a.root + "resume?last=999999999999", "POST")[0] == 409)
    check("a body is refused", a.request(a.root + "stop", "POST", body=b"x" * 100, Content_Length="100")[0] == 413)
    check("a body without an end is refused",
          a.request(a.root + "stop", "POST", body=b"5\r\nhello\r\n", Transfer_Encoding="chunked")[0] == 413)
    good = "picture?frame=6&w=64&h=64&coarse=1"
    check("a picture", a.request(a.root + good)[1].endswith(b"\xff\xd9"))
    def angle(size):
        return float(re.search(rb"X-Camera: ([^\r]*)", a.request(a.root + "picture?frame=6&coarse=1&" + size)[1]).group(1).split(b",")[-1])

    check("a narrow picture still sees all of the movie's width", angle("w=64&h=256") > 1.5 * angle("w=256&h=64"))
    check("a slice", a.request(a.root + "picture?frame=6&mode=slice&h=64&field=temperature&axis=x")[1].endswith(b"\xff\xd9"))
    for query in ("w=0", "w=-5", "w=100000", "w=4096&h=4096", "w=64.5", "w=x", "h=1e300", "coarse=2", "mode=evil", "q=0", "ex=inf", "ex=1&ey=nan", "angle=x", "mode=slice&axis=w",
                  "mode=slice&map=evil", "mode=slice&field=" + "x" * 600, "mode=slice&vectors=%22", "mode=slice&domain=%ff"):
        check("%s is refused" % query[:40], a.request(a.root + "picture?frame=6&" + query)[0] == 400)
    for frame in ("nan", "1e400", "six", "0x", ""):
        check("frame %s is refused" % frame, a.request(a.root + "picture?w=64&h=64&frame=" + frame)[0] == 400)
    check("an eye that sees nothing is told", a.request(a.root + "picture?frame=6&w=64&h=64&ex=0&ey=0&ez=0")[0] == 404)
    code, said = a.request(a.root + "picture?frame=6&mode=slice&h=64&field=%22,%20size:%209000,%20x:%20%22")
    check("a field's name stays a name", code == 404 and b"no grid" in said, said[-300:])
    for query in ("picture?frame=999&w=64&h=64", "overlay?frame=999&layers=t", "scene?frame=-3", "scene?frame=99999999999999999999"):
        code, said = a.request(a.root + query)
        check("%s: there is no such frame, in words" % query, code == 404 and b"frame" in said, (code, said[-200:]))
    for query in ("layers=x", "px=nan", "py=x", "layers=%2e"):
        check("%s is refused" % query, a.request(a.root + "picture?frame=6&w=64&h=64&" + query)[0] == 400)
    check("a table", b"mac.project.iterations" in a.request(a.root + "metrics.csv")[1])


def looks(served):
    """Values over the bake's own look: checked in words, carried by each picture, and no file is read for them."""
    def checked(text):
        code, said = served.get("look-check", "POST", text.encode())
        return json.loads(said) if code == 200 else {"good": None, "code": code}

    def picture(text):
        return served.get("picture?frame=6&w=64&h=64&" + urllib.parse.urlencode({"look": text}))

    def own_values(more):
        with open(resolved, "w", encoding="utf-8") as file:
            file.write(text + more)
        return json.loads(served.get("look")[1])["values"]

    code, said = served.get("look")
    check("the look's table", code == 200 and any(row["key"] == "thickness" for row in json.loads(said)["parameters"]), said[:200])
    resolved = served.words[-1] + "/resolved.yaml"
    with open(resolved, encoding="utf-8") as file:
        text = file.read()
    check("the bake's own values", own_values("look:\n  exposure: 2\n") == {"exposure": "2"} and
          own_values("  - png:\n      view: slice\n      fire: 3\n  - mp4:\n      view: auto\n      fire: 4\n").get("fire") == "4" and
          own_values("x: [") == {} == own_values(""))
    plain = served.get("picture?frame=6&w=64&h=64")[1]
    for text in ("look: {exposure: 4}", "look:\n  exposure: {keys: {1: 4, 9: 4}}\n", "look: {smoke: [0.9, 0.1, 0.1], thickness: 9}",
                 "look: {sky: {sun: {elevation: 20 deg}}}", "look: {sky: sun, flames: {crisp: 1}}"):
        code, said = picture(text)
        check("%s is shown" % text[:40], checked(text)["good"] and code == 200 and said != plain, (code, said[:200]))
    check("none is the bake's own", checked("look: {}")["good"] and picture("look: {}") == (200, plain))
    for text, word in (("look: {exposur: 4}", "did you mean"), ("look: {exposure: -1}", "out of range"), ("look: {exposure: [}", ""),
                       ("look: {exposure: 1e999}", ""), ("look: {smoke: pink?}", ""), ("look: {sky: {sun: {}, studio: {}}}", "exactly one"),
                       ("look: [1]", "nothing else"), ("look:", "nothing else"), ("exposure: 2", "nothing else"), ("[]", "nothing else"),
                       ("look: {exposure: 1}\nstages: [{probe: {}}]", "nothing else"), ("look: {a: &a [1], b: *a}", "anchors"),
                       ("look: {sky: {hdri: {file: /etc/passwd}}}", "no file"), ("look: {obstacles: {each: [{file: x}]}}", "no file"),
                       ("look: {sky: '{hdri: {file: /etc/passwd}}'}", "sky"), ("look: {'sky.hdri.file': /etc/passwd}", "sky.hdri"),
                       ("look: {exposure: '1\\nsky: x'}", ""), ("look: {%s: 1}" % ("x" * 400), "")):
        answer, (code, said) = checked(text), picture(text)
        check("%s is refused, in words" % text[:44], answer["good"] is False and word in answer["sentence"] and code == 400 and
              b"root:" not in said, (answer, code, said[:200]))
    check("a look without an end is refused", checked("look: {exposure: 1}" + " " * 3000)["good"] is None and
          picture("look: {exposure: 1}" + " " * 3000)[0] == 400)
    check("nobody else's page checks one", Client(served).request(Client(served).root + "look-check", "POST", body=b"look: {}", Content_Length="8",
                                                                  Origin="http://evil.example")[0] == 403)


def picture_begin(a, query, room=0):
    """Request a picture without reading the response; `room`: bytes of the receive buffer."""
    s = socket.socket()
    if room:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    s.settimeout(60)
    s.connect(("127.0.0.1", a.port))
    s.sendall(("GET %spicture?%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (a.root, query, a.host)).encode())
    return s


def read_all(s, piece=65536):
    """The rest of a response, read in pieces."""
    out = b""
    with s:
        while more := s.recv(piece):
            out += more
    return out


def priorities(served):
    """Jobs of idle priority wait until no other is queued, and are answered all the same."""
    a, came = Client(served), []
    asked = [("first", "frame=9&w=1920&h=1440"), ("thumb", "frame=999&w=96&h=54&coarse=1&priority=2"),
             ("hand", "frame=8&w=320&h=240"), ("rest", "frame=7&w=320&h=240&priority=1")]
    waiting = {}
    for name, query in asked:
        waiting[picture_begin(a, "client=%s&%s" % (name, query))] = name
        served.state() # answered after those before it are there
    while waiting:
        there = select.select(list(waiting), [], [])[0] # of several that came meanwhile nobody knows the order
        for s in sorted(there, key=lambda s: waiting[s] == "thumb"):
            came.append((waiting.pop(s), int(s.recv(65536).split()[1])))
            s.close()
    order = [name for name, _ in came] # the last two are ready at one moment
    check("what a hand and a page at rest want comes before small pictures, were they as quick", order.index("thumb") >= 2 and
          dict(came) == {"first": 200, "hand": 200, "rest": 200, "thumb": 404}, came)
    held = []
    for name, query in (("one", "frame=10&w=1920&h=1440"), ("one", "frame=11&w=320&h=240"), ("one", "frame=12&w=64&h=64")):
        held.append(picture_begin(a, "client=%s&%s" % (name, query)))
        served.state()
    codes = [int(s.recv(65536).split()[1]) for s in held] # on a busy machine the first is not begun yet either
    check("what one does not wait for any more is dropped", 204 in codes[:2] and codes[2] == 200, codes)
    check("… which come all the same", served.get("picture?frame=2&w=96&h=54&coarse=1&priority=2")[0] == 200)


def queue_limit(served):
    """More jobs than the queue takes, and a client that reads slowly."""
    a = Client(served)
    held = [picture_begin(a, "frame=%d&w=1280&h=960&client=l%d" % (4 + i, i)) for i in range(3)]
    held += [picture_begin(a, "frame=3&w=16&h=16&coarse=1&priority=2&client=s%d" % i) for i in range(45)]
    said = [read_all(s) for s in held]
    codes = [int(words.split()[1]) for words in said]
    check("of 48 pictures 32 are waited for", set(codes) == {200, 503} and codes.count(200) >= 32, codes)
    check("… and the rest refused, in words", all(b"too many pictures" in words for words in said if b" 503 " in words[:20]))
    check("there is room again", served.get("picture?frame=3&w=16&h=16")[0] == 200)
    query = "frame=6&w=1920&h=1440&q=95"
    s = picture_begin(a, query, 2048)
    first = s.recv(100)
    check("one who reads slowly keeps nobody waiting", all(served.get("picture?frame=%d&w=64&h=64" % f)[0] == 200 for f in range(1, 6)))
    whole = first + read_all(s, 4096)
    check("… and gets all of it", len(whole) > 1 << 17 and whole.split(b"\r\n\r\n", 1)[1] == served.get("picture?" + query)[1], len(whole))


def probes(served):
    """Values are those of the place: the source is a ball of radius 9 cm round (0, 0, 0.12)."""
    def probe(query):
        code, said = served.get("probe?frame=1&" + query)
        return json.loads(said) if code == 200 else {"hit": said, "at": None, "values": []}

    def value(said, field):
        return next((v["value"] for v in said["values"] if v["field"] == field), None)

    near, far, odd = 0, 0, []
    for axis in "xyz":
        for i in range(1, 10):
            for k in range(1, 10):
                p = probe("mode=slice&axis=%s&pos=%g&px=%g&py=%g" % (axis, 0.12 if axis == "z" else 0, i / 10, k / 10))
                away, density = math.dist(p["at"], (0, 0, 0.12)), value(p, "density")[0]
                near, far = near + (away < 0.06), far + (away > 0.13)
                if (away < 0.06 and density < 0.8) or (away > 0.13 and density > 0.05):
                    odd.append((axis, p["at"], density))
    check("a slice's cells are where they are said to be", near > 5 and far > 20 and not odd, (near, far, odd))
    low, high = (probe("mode=slice&axis=y&pos=0&" + at)["at"] for at in ("px=.1&py=.9", "px=.9&py=.1"))
    check("up is up, and right is right", high[2] > low[2] + 0.1 and high[0] > low[0] + 0.1, (low, high))
    said = probe("mode=slice&axis=y&pos=0&px=.5&py=.8")
    units = {v["field"]: (v["unit"], len(v["value"])) for v in said["values"]}
    check("values have their units", units == {"density": ("", 1), "temperature": ("K", 1), "vel": ("m/s", 3)}, units)
    hot = max(value(probe("mode=slice&axis=y&pos=0&px=.5&py=%g" % (k / 20)), "temperature")[0] for k in range(20))
    check("kelvin, as they were emitted", 250 < hot < 310, hot)
    a = Client(served)
    top = float(re.search(rb"X-Range: [^,]*,([^\r]*)", a.request(a.root + "picture?frame=1&mode=slice&axis=y&pos=0&h=64&field=temperature")[1]).group(1))
    check("… as the slice's colours have them", abs(top - hot) < 0.2 * hot, (top, hot))
    fields = json.loads(served.get("scene?frame=1")[1])["fields"]
    check("… and the list of fields", [f["unit"] for f in fields if f["name"] == "temperature"] == ["K"], fields)
    eye = "w=160&h=160&ex=0&ey=-3&ez=.12&tx=0&ty=0&tz=.12&ux=0&uy=0&uz=1&angle=.2"
    said = probe(eye + "&px=.5&py=.5")
    check("a ray meets smoke at its near side", said["hit"] == "gas" and abs(said["at"][1] + 0.09) < 0.04 and
          abs(said["at"][0]) < 1e-6 and value(said, "density")[0] > 0.05, said)
    check("beside it there is nothing", probe(eye + "&px=.05&py=.5")["hit"] == "nothing")


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    return head[:4] == b"\x89PNG" and (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))


def saves(served):
    """Pictures and movies beside the cache, under names of their own; the page draws them and sends JPEG."""
    a = Client(served)
    jpeg = {size: served.get("picture?frame=6&coarse=1&q=100&w=%d&h=%d" % size)[1] for size in ((64, 48), (63, 48), (32, 48))}
    sent = lambda path, size=(64, 48): served.get(path, "POST", jpeg[size])
    paths = [sent("save-picture") for _ in range(2)]
    names = [p.decode() for _, p in paths]
    check("a picture is saved", all(code == 200 for code, _ in paths) and all(os.path.isabs(n) for n in names), paths)
    check("… twice, beside the cache", all(n.endswith("views/wisp_%03d.png" % (i + 1)) for i, n in enumerate(names)) and
          all(png_size(n) == (64, 48) for n in names), names)
    check("GET saves nothing", a.request(a.root + "save-picture")[0] == 405)
    check("nobody else saves", a.request(a.root + "save-picture", "POST", Origin="http://evil.example", body=jpeg[64, 48],
                                     Content_Length=str(len(jpeg[64, 48])))[0] == 403)
    check("what is no picture is not", served.get("save-picture", "POST", b"\xff\xd8 no JPEG")[0] == 409 and
          served.get("save-picture", "POST", jpeg[64, 48][:200])[0] == 409)
    check("… nor one without an end", a.request(a.root + "save-picture", "POST", body=b"x", Content_Length=str(1 << 30))[0] == 413)

    for what, path, size in (("odd sides", "movie-frame", (63, 48)), ("no frame rate", "movie-frame?fps=0", (64, 48))):
        check("a movie of %s is refused" % what, sent(path + ("&" if "?" in path else "?") + "client=x", size)[0] in (400, 409))
    check("… and an end without a beginning", served.get("movie-end?client=x", "POST")[0] == 409)
    check("a movie is begun", all(sent("movie-frame?client=me&fps=24")[0] == 200 for _ in range(12)))
    check("… one at a time", sent("movie-frame?client=another")[0] == 409 and served.get("movie-end?client=another", "POST")[0] == 409)
    check("… of one size", sent("movie-frame?client=me", (32, 48))[0] == 409)
    code, said = served.get("movie-end?client=me", "POST")
    check("… and saved", code == 200 and said.endswith(b"views/wisp_001.mp4") and movie_frames(said.decode()) == 12, said)
    check("the next one", sent("movie-frame?client=another")[0] == 200)
    code, said = served.get("movie-end?client=another", "POST")
    check("… under the next name", code == 200 and said.endswith(b"views/wisp_002.mp4") and movie_frames(said.decode()) == 1, said)
    sent("movie-frame?client=me")
    check("one is given up", served.get("movie-cancel?client=me", "POST")[0] == 200 and served.get("movie-end?client=me", "POST")[0] == 409)
    folder = os.path.dirname(names[0])
    check("nothing else is there", len(os.listdir(folder)) == 4, os.listdir(folder))


def malformed_send(served, n, seed=7):
    """Malformed and unfinished requests."""
    a, r = Client(served), random.Random(seed)
    start = b"GET " + a.root.encode() + b"picture?frame=6&w=64&h=64 HTTP/1.1\r\nHost: " + a.host.encode() + b"\r\n"
    for i in range(n):
        kind = i % 8
        data = [lambda: r.randbytes(r.randrange(1, 400)), lambda: start[:r.randrange(1, len(start))],
                lambda: start + b"X: " + b"y" * 40000 + b"\r\n\r\n", lambda: start + b"Content-Length: -1\r\n\r\n",
                lambda: start.replace(b"HTTP/1.1", b"HTTP/9.9") + b"\r\n", lambda: start + b"\0\0: \0\r\n\r\n",
                lambda: b"GET " + b"/" * r.randrange(1, 20000) + b" HTTP/1.1\r\n\r\n",
                lambda: b"".join(start[k:k + 1] if r.random() > 0.05 else r.randbytes(1) for k in range(len(start)))][kind]()
        raw_request(a.port, data, answer=i % 3 == 0, ends=True)


def malformed_requests(served):
    malformed_send(served, MALFORMED // 4)
    before = served.memory()
    malformed_send(served, MALFORMED - MALFORMED // 4, 8)
    after = served.memory()
    check("%d requests that are none: still there" % MALFORMED, served.get("state")[0] == 200)
    check("… in as much memory", SHORT or after < before + 12, # a sanitizer keeps what is freed
          "%.1f MiB, then %.1f MiB" % (before, after))


def connect_and_vanish(served):
    """Request pictures and event streams, and disconnect."""
    a, held = Client(served), []
    ends = b" HTTP/1.1\r\nHost: " + a.host.encode() + b"\r\n\r\n"
    for i in range(VANISHING):
        path = b"events" if i % 2 else b"picture?frame=%d&w=320&h=240&client=c%d" % (1 + i % 12, i)
        s = socket.create_connection(("127.0.0.1", a.port), timeout=60)
        s.sendall(b"GET " + a.root.encode() + path + ends)
        held.append(s)
        if i % 10 == 9:
            for s in held:
                s.close()
            held = []


def vanished_clients(served):
    connect_and_vanish(served)
    a = Client(served)
    ends = b" HTTP/1.1\r\nHost: " + a.host.encode() + b"\r\n\r\n"
    check("%d clients came and went: a picture is made" % VANISHING, served.get("picture?frame=3&w=64&h=64")[0] == 200)

    def stream():
        s = socket.create_connection(("127.0.0.1", a.port), timeout=60)
        s.sendall(b"GET " + a.root.encode() + b"events" + ends)
        said = s.recv(64)
        return s if b" 200 " in said else s.close()

    streams = [stream() for _ in range(30)]
    open_ones = [s for s in streams if s]
    check("there are 24 places for those who listen, not more", len(open_ones) <= 24, len(open_ones))
    for s in open_ones:
        s.close()
    check("places of those who went are free again", wait(lambda: stream(), 30) is not None)


def wider(billow, folder):
    """A preset whose cells cost more than most: its preview begins once more in wider voxels, the text still its own."""
    os.makedirs(folder)
    served = Served(billow, "tune", "campfire", folder=folder)
    text = json.loads(served.get("preset")[1])["text"]
    check("it is baked in its own voxels", json.loads(served.get("try", "POST", text.encode())[1])["good"] and
          wait(lambda: served.get("state")[0] == 200) and served.state()["coarse"] >= 1)
    codes = []
    check("… and then in wider ones", wait(lambda: codes.append(served.get("state")[0]) or served.state()["coarse"] > 1, 120), served.state())
    check("… without a moment at which there is none", set(codes) == {200}, codes)
    check("… with the same text", served.get("preset-text?source=%d" % served.state()["id"])[1] == text.encode())
    check("the program ends", served.end() == 0, served.words_said)


def tuning(billow, folder):
    """A preset that is tuned: bodies, files elsewhere, names."""
    os.makedirs(folder + "_tuned")
    shutil.copy(os.path.join(os.path.dirname(__file__), "wisp.yaml"), folder + "_tuned")
    served = Served(billow, "tune", "wisp", folder=folder + "_tuned")
    text = json.loads(served.get("preset")[1])["text"]

    def tried(text):
        return json.loads(served.get("try", "POST", text.encode())[1])

    said = tried(text)
    check("a preset is read", said["good"] and said["values"]["name"] == "wisp")
    check("its pictures come", wait(lambda: b"ranges" in served.get("state")[1] and served.state()["unwritten"]))
    wait(lambda: served.state()["ended"] is not None, 120) # on a busy machine it begins once more in wider voxels
    first = served.state()["id"]
    check("nothing that is only seen is baked for", tried(text.replace("export:", "look: {exposure: 2}\nexport:"))["good"] and
          wait(lambda: served.state()["generation"] > 1) and served.state()["id"] == first, served.state())
    check("a new flow is", tried(text.replace("buoyancy: 2", "buoyancy: 3"))["good"] and
          wait(lambda: served.state()["id"] > first) and "buoyancy 2 → 3" in served.state()["changes"], served.state())
    line_of = lambda word: text[:text.index(word)].count("\n") + 1
    for what, wrong, line in (("a key that is none", text.replace("buoyancy", "bouyancy"), line_of("buoyancy")),
                              ("a broken text", text + "x: [", None), ("nothing", " ", None),
                              ("a file elsewhere", text.replace("sphere: {center: [0, 0, 0.12], radius: 9 cm}",
                                                                "mesh: {file: /etc/passwd}"), line_of("radius: 9")),
                              ("a way out", text + "extends: a/../../x.yaml\n", None), ("a home", text + "extends: ~/x\n", None)):
        said = tried(wrong)
        check(what + " is told", not said["good"] and said["sentence"] and "root:" not in json.dumps(said) and
              line in (None, said["line"]), said)
    for path in ("parameters?name=/etc/passwd", "parameters?name=wisp", "parameters?name=wisp.yaml", "parameters", "preset-text?source=999"):
        check("%s: nothing" % path, served.get(path)[0] == 404)
    check("a table", b"buoyancy" in served.get("parameters?name=mac.forces")[1])
    a = Client(served)
    check("a body that is too large", a.request(a.root + "try", "POST", body=b"x" * 300000, Content_Length="300000")[0] == 413)
    check("a body without a length", a.request(a.root + "try", "POST", body=b"1\r\nx\r\n0\r\n\r\n", Transfer_Encoding="chunked")[0] == 413)
    check("no body", a.request(a.root + "try", "POST")[0] == 405 and a.request(a.root + "try")[0] == 405)
    check("another site saves nothing", a.request(a.root + "save-preset?name=x", "POST", body=b"x", Content_Length="1", Origin="http://evil.example")[0] == 403)
    for name in ("", "../x", "a/b", "-x", "x" * 61, "wisp", "x.yaml"):
        check("it is not saved as \"%s\"" % name[:9], served.get("save-preset?name=" + urllib.parse.quote(name), "POST", text.encode())[0] == 409)
    check("it is saved", served.get("save-preset?name=wisp_2", "POST", text.encode())[0] == 200 and
          open(folder + "_tuned/wisp_2.yaml", encoding="utf-8").read() == text)
    check("nothing else was written", sorted(n for n in os.listdir(folder + "_tuned") if not n.startswith("billow-tune-")) == ["wisp.yaml", "wisp_2.yaml"])
    check("it ends, and takes its bakes along", served.end() == 0 and not [n for n in os.listdir(folder + "_tuned") if n.startswith("billow-")])


def startup_errors(billow, folder):
    """Bad input: words, and the exit code that says what."""
    def run(*words, **env):
        done = subprocess.run([billow, *words], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, **env})
        return done.returncode, done.stderr

    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, said = run("view", folder, "--port", str(taken.getsockname()[1]))
        check("a port that is taken", code == 6 and "is taken" in said and said.count("\n") == 1, (code, said))
        code, said = run("bake", os.path.join(os.path.dirname(__file__), "wisp.yaml"), "--view", "--out", folder + "_x",
                         "--port", str(taken.getsockname()[1]))
        check("… for a bake, which does not begin", code == 6 and "is taken" in said and not os.path.exists(folder + "_x"),
              (code, said))
    check("a folder that is not there", run("view", folder + "_y")[0] == 6)
    os.makedirs(folder + "_empty")
    check("a folder without VDB files", run("view", folder + "_empty")[0] == 6)
    check("no folder", run("view")[0] == 2)
    check("no preset of that name", run("tune", "plum")[0] == 3 and "did you mean" in run("tune", "plum")[1], run("tune", "plum"))
    check("a port that is none", run("view", folder, "--port", "70000")[0] == 2)
    check("an address that is none", run("view", folder, "--listen", "here")[0] == 2)
    check("a way to look that is none", run("bake", "plume", "--view=rough")[0] == 2)
    os.makedirs(folder + "_lib")
    with open(os.path.join(folder + "_lib", "libbillow-web.so.0"), "w", encoding="utf-8") as file:
        file.write("no library")
    path = folder + "_lib:" + os.environ.get("LD_LIBRARY_PATH", "")
    code, said = run("view", folder, LD_LIBRARY_PATH=path)
    check("a machine without the page: one sentence", code == 1 and "is not installed" in said and said.count("\n") == 1,
          (code, said))
    fake = folder + "_fake"
    os.makedirs(fake)
    for i in range(3):
        with open("%s/fog_%04d.vdb" % (fake, i), "w", encoding="utf-8") as file:
            file.write("no VDB " * 100)
    served = Served(billow, "view", fake)
    check("no bake lies there to be gone on with", served.get("resume", "POST")[0] == 409)
    code, said = served.get("scene?frame=1")
    check("files that are no VDB files are told", code == 404 and b"fog_0001.vdb" in said, (code, said))
    check("SIGTERM ends it", served.end() == 0)


RING = """billow: 1
name: ring
domain: {size: [0.64, 0.64, 0.64], voxel: 2 cm}
time: {frames: 1-1}
stages:
  - tracers: {count: 300, shape: {cylinder: {center: [0, 0, 0.2], radius: 5 cm, height: 4 cm}}}
  - vorton.emit: {source: {ring: {center: [0, 0, 0.4], radius: 10 cm, core: 2 cm, circulation: 0.01}}}
  - vorton.velocity: {}
  - vorton.advect: {}
  - to_grid: {velocity: vel}
export: [{vdb: {fields: [density]}}, {ply: {}}]
"""


def overlays(billow, folder):
    """Of a cache: those that its bake wrote beside it."""
    with open(folder + ".yaml", "w", encoding="utf-8") as file:
        file.write(RING)
    bake(billow, folder, preset=folder + ".yaml")
    served = Served(billow, "view", folder)
    told = lambda letters: json.loads(served.get("overlay?frame=1&layers=" + letters)[1])
    sets = {p["name"]: p for p in told("p")["points"]}
    check("particles are told, and counted", 200 < sets["tracers"]["count"] < 400 and sets["vortons"]["count"] > 10, {n: p["count"] for n, p in sets.items()})
    check("… where they are", all(len(p["pos"]) == 3 * p["count"] for p in sets.values()) and
          all(abs(z - 0.2) < 0.03 for z in sets["tracers"]["pos"][2::3]) and all(abs(z - 0.4) < 0.05 for z in sets["vortons"]["pos"][2::3]), sets["vortons"]["pos"][:6])
    check("… vortons with their strength", len(sets["vortons"]["strength"]) == len(sets["vortons"]["pos"]))
    all_of = told("podt")
    box = all_of["outlines"]["domains"][0]
    check("the domain's box, outlines and tiles too", box["lo"] == [-0.32, -0.32, 0] and {s["kind"] for s in all_of["outlines"]["shapes"]} == {"cylinder", "ring"} and
          all_of["tiles"] and len(all_of["tiles"][0]["at"]) % 3 == 0, all_of["outlines"])
    check("… and no more than is asked for", set(told("d")) == {"metre", "y_up", "outlines"}, set(told("d")))
    path = glob.glob(folder + "/ply/*tracers*")[0]
    os.truncate(path, os.path.getsize(path) // 2)
    served.end()
    served = Served(billow, "view", folder)
    check("a file of them that is cut short is told", told("p")["points"] == [] and told("p")["why"].endswith("cut short"), told("p"))
    served.end()


def hostile_files(billow, folder):
    """A cache from somebody else: its tables and records are links and pipes. And connections that never say who they
    are."""
    bad = folder + "_bad"
    shutil.copytree(folder, bad)
    secret = folder + ".secret"
    with open(secret, "w", encoding="utf-8") as file:
        file.write("SECRET: [\n")
    for kind in ("link", "pipe"):
        for name in ("metrics.csv", "timings.csv", "resolved.yaml", "bake.json"):
            path = os.path.join(bad, name)
            if os.path.lexists(path):
                os.remove(path)
            os.symlink(secret, path) if kind == "link" else os.mkfifo(path)
        shutil.rmtree(bad + "/views", ignore_errors=True)
        os.makedirs(folder + ".away", exist_ok=True)
        if os.path.islink(bad + "/views"):
            os.remove(bad + "/views")
        os.symlink(folder + ".away", bad + "/views")
        served = Served(billow, "view", bad)
        a = Client(served)
        for name in ("metrics.csv", "timings.csv"):
            code, said = a.request(a.root + name)
            check("%s is a %s: not shown" % (name, kind), code == 204 and b"SECRET" not in said, said[-200:])
        for path in ("state", "scene?frame=6", "overlay?frame=6&layers=od", "probe?frame=6&mode=slice"):
            code, said = a.request(a.root + path)
            check("records are %ss: %s is answered" % (kind, path), code in (200, 404, 409, 500) and b"SECRET" not in said, (code, said[-200:]))
        code, said = a.request(a.root + "resume?last=20", "POST")
        check("records are %ss: nothing is gone on with" % kind, code == 409 and b"SECRET" not in said, said[-200:])
        code, said = served.get("save-picture", "POST", served.get("picture?frame=6&w=64&h=48&coarse=1")[1])
        check("a folder of views that is a link is none", code == 409 and b"views" in said and not os.listdir(folder + ".away"), said[-200:])
        served.end()
    shutil.rmtree(bad)
    served = Served(billow, "view", folder)
    a = Client(served)
    held = []
    for i in range(150):
        s = socket.create_connection(("127.0.0.1", a.port), timeout=60)
        s.sendall(b"GET / HT")
        held.append(s)
    check("150 connections that do not end their request: the page answers", served.get("state")[0] == 200)
    alive = 0
    for s in held: # those that were sent away have ended
        s.setblocking(False)
        try:
            alive += s.recv(1) != b""
        except BlockingIOError:
            alive += 1
        except OSError:
            pass
    check("… and few of them are kept", 0 < alive <= 24, alive)
    newest = held[-1]
    newest.setblocking(True)

    def trickle():
        try:
            newest.sendall(b"x")
            return not select.select([newest], [], [], 0.2)[0]
        except OSError:
            return False

    check("… none of them for ever, though it trickles", wait(lambda: not trickle(), 60))
    for s in held:
        s.close()
    check("… and the page is still there", served.get("state")[0] == 200)
    served.end()


NESTED = """billow: 1
name: nested
domains:
  wide: {size: [0.8, 0.8, 0.8], voxel: 4 cm}
  near: {size: [0.4, 0.4, 0.4], voxel: 2 cm}
time: {frames: 1-2}
stages:
  - emit: {domain: near, density: 1, shape: {sphere: {center: [0, 0, 0.1], radius: 8 cm}}}
  - emit: {id: high, domain: wide, density: 1, shape: {sphere: {center: [0, 0, 0.6], radius: 12 cm}}}
export:
  - vdb: {id: a, domain: wide, blend: near, edge: 2}
  - vdb: {id: b, domain: near, blend: wide, edge: 2}
"""


def two_domains(billow, folder):
    """Two domains in files of their own: slices and the probe tell of both."""
    with open(folder + ".yaml", "w", encoding="utf-8") as file:
        file.write(NESTED)
    bake(billow, folder, preset=folder + ".yaml")
    served = Served(billow, "view", folder)
    fields = json.loads(served.get("scene?frame=2")[1])["fields"]
    check("fields of both domains are offered", {(f["name"], f["domain"]) for f in fields} >= {("density", None), ("density", "near")}, fields)

    def probe(z, domain=""):
        said = json.loads(served.get("probe?frame=2&mode=slice&axis=z&pos=%g&px=.5&py=.5%s" % (z, domain))[1])
        return {v["domain"]: (v["value"][0] > 0.3, v["stored"]) for v in said["values"] if v["field"] == "density"}

    low, high = probe(0.1), probe(0.6)
    check("the probe tells of both", low == {None: (False, False), "near": (True, True)} and
          high == {None: (True, True), "near": (False, False)}, (low, high))
    said = [served.get("picture?frame=2&mode=slice&axis=z&pos=.1&h=64&field=density" + d) for d in ("", "&domain=near", "&domain=far")]
    check("a slice is cut from the one that is wished", [c for c, _ in said[:2]] == [200, 200] and said[0][1] != said[1][1])
    check("… or told that there is none", said[2][0] in (404, 500) and b"domain" in said[2][1], said[2])
    served.end()


def rate_limit(billow, folder, crowded):
    """Pictures at rest take a tenth of the processor's time while a bake runs, however many ask for them, though they
    could have more: the bake is held. Where all run on one core (`crowded`) what they wait for it does not count: sooner
    or later they have lasted longer than that tenth."""
    cores = os.sched_getaffinity(0)
    if crowded:
        os.sched_setaffinity(0, {min(cores)}) # its threads inherit it
    served = Served(billow, "bake", os.path.join(os.path.dirname(__file__), "wisp.yaml"), "--view", "--out",
                    "%s_shared_%d" % (folder, crowded), "--set", "time.frames=1-4000", "--threads", "1",
                    held=0 if crowded else 4096)
    os.sched_setaffinity(0, cores)
    size = "w=320&h=180" if crowded else "w=960&h=540"
    a, took, start = Client(served), [], time.monotonic()
    wait(lambda: (served.state()["ranges"] or [[0, 0]])[0][1] > 1)

    def share():
        return 0.5 + 0.1 * (time.monotonic() - start)

    def lasted_and_ran():
        return (sum(each) - max(each, default=0) for each in ([float(t[i]) for t in took] for i in (0, 1)))

    def enough():
        past = time.monotonic() - start
        return past > 3 and (not crowded or past > 40 or next(lasted_and_ran()) > share() + 0.2)

    def asks(client):
        while not enough():
            said = a.request(a.root + "picture?frame=1&%s&priority=1&client=%s&ex=%.4f&ey=-3&ez=.5&tz=.5&uz=1" % (size, client, len(took) / 50))[1]
            took.extend(re.findall(rb"X-Seconds: ([^\r]*)\r\nX-CPU-Seconds: ([^\r]*)", said))

    hands = [threading.Thread(target=asks, args=(c,)) for c in "abc"]
    for h in hands:
        h.start()
    for h in hands:
        h.join()
    most = share()
    lasted, ran = lasted_and_ran()
    check("pictures at rest take a tenth of a bake's time", 0 < ran <= most, (ran, most, len(took)))
    if crowded:
        check("… but for what they wait for others", lasted > most, (lasted, most, len(took)))
    served.get("stop", "POST")
    served.wait()


def watched_bake(billow, folder, how):
    """A bake with somebody at the page writes the bytes that it writes alone."""
    out = folder + "_seen"
    served = Served(billow, "bake", os.path.join(os.path.dirname(__file__), "wisp.yaml"), how, "--out", out, "--threads",
                    "2")
    a = Client(served)
    s = socket.create_connection(("127.0.0.1", a.port), timeout=60)
    s.sendall(b"GET " + a.root.encode() + b"events HTTP/1.1\r\nHost: " + a.host.encode() + b"\r\n\r\n")
    seen = 0
    while served.process.poll() is None:
        state = served.state()
        frames = [f for lo, hi in state["ranges"] or [] for f in range(lo, hi + 1)] + state["unwritten"]
        if frames:
            newest = max(frames)
            seen += served.get("picture?frame=%d&w=96&h=96&coarse=1" % newest)[0] == 200
            seen += served.get("overlay?frame=%d&layers=podt" % newest)[0] == 200
            seen += served.get("picture?frame=%d&mode=slice&h=96&priority=1" % newest)[0] == 200
        if state["ended"] is not None:
            break
    check("%s: pictures while it bakes and after" % how, seen > 3, seen)
    s.close()
    check("%s: it ends when nobody looks any more" % how, served.wait() == 0, served.words_said)
    names = sorted(os.path.basename(p) for p in glob.glob(folder + "/vdb/*.vdb"))
    same = [n for n in names if filecmp.cmp(folder + "/vdb/" + n, out + "/vdb/" + n, shallow=False)]
    check("%s: the same bytes as alone" % how, names and same == names, (names, same))
    shutil.rmtree(out)


def bake_commands(billow, folder):
    """Checkpoint and stop."""
    out = folder + "_stopped"
    served = Served(billow, "bake", os.path.join(os.path.dirname(__file__), "wisp.yaml"), "--view", "--out", out,
                    "--set", "time.frames=1-4000", "--threads", "1")
    check("a checkpoint is asked for", served.get("checkpoint", "POST")[0] == 200)
    check("… and comes", wait(lambda: glob.glob(out + "/checkpoints/*")))
    a = Client(served)
    check("nobody else stops it", a.request(a.root + "stop", "POST", Origin="http://evil.example")[0] == 403 and
          served.state()["running"])
    check("it is asked to stop", served.get("stop", "POST")[0] == 200)
    check("… and does, to be gone on with", served.wait() == 75, served.words_said)


def main():
    billow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="billow-web-") as work:
        folder = os.path.join(work, "wisp")
        bake(billow, folder)
        served = Served(billow, "view", folder)
        check("the address", re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", served.address or ""), served.address)
        for part in (authorization, bad_requests, looks, probes, saves, priorities, queue_limit, vanished_clients, malformed_requests):
            part(served)
        shutil.rmtree(folder + "/vdb")
        check("files that are gone are told", wait(lambda: served.state()["error"]), served.state())
        check("what was open is still shown, the rest is told", served.get("scene?frame=11")[0] in (200, 404))
        check("it ends as it is asked to", served.end() == 0)
        shutil.rmtree(folder)
        bake(billow, folder)
        startup_errors(billow, folder)
        tuning(billow, folder)
        wider(billow, os.path.join(work, "fire"))
        overlays(billow, os.path.join(work, "ring"))
        two_domains(billow, os.path.join(work, "nested"))
        hostile_files(billow, folder)
        for crowded in (False, True):
            rate_limit(billow, folder, crowded)
        for how in ("--view", "--view=gentle"):
            watched_bake(billow, folder, how)
        bake_commands(billow, folder)
    verdict()


if __name__ == "__main__":
    main()
