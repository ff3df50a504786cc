#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the rooms as docs/architecture.md draws them: arrows one way, nothing compiled twice, no circles of files,
and documents that tell the truth.

    rooms.py ROOT BUILD BILLOW     a source tree, its Meson build, the program there
    rooms.py --self-test           a small made-up tree, one thing broken for each rule; each must be noticed

Prints "N passed, N failed". What is let pass stands in known.py."""
import json
import os
import re
import subprocess
import sys

import documents
import known
from source import Tree, circles, excuse

FOLDER_FILES = 13 # more than about ten hold more than one idea

# A room sees itself and these. The longest beginning of a path is its room; a plugin's or exporter's folder is one.
SEES = {
    "core/include/billow/bake.h": ["core/include"],
    "core/include": [],
    "core/base": ["core/include"],
    "core/grid": ["core/include", "core/base"],
    "core/preset": ["core/include", "core/base"],
    "core/run": ["core/include", "core/base", "core/grid", "core/preset"],
    "plugins/common": ["core/include"],
    "plugins/*": ["core/include", "plugins/common"],
    "picture": ["core/include", "plugins/common"],
    "exporters/*": ["core/include", "plugins/common", "picture"],
    "library": ["core/include", "core/include/billow/bake.h", "core/base", "core/grid", "core/preset", "core/run",
                "plugins/common", "picture"],
    "cli": ["core/include/billow/bake.h", "hosts"], # the page's door, loaded when it is asked for
    "hosts": ["core/include/billow/bake.h"],
}
# Libraries that a room must not know. library lends its door to rooms that do.
FOREIGN = {"core": r"openvdb|tbb/|Imath|libav|libsw|OpenEXR|openexr|assimp|ode/|fftw|png\.h"}


def room_of(path):
    for room in sorted(SEES, key=len, reverse=True):
        if room.endswith("*"):
            parts = path.split("/")
            if parts[0] == room[:-2] and len(parts) > 2:
                return "/".join(parts[:2])
        elif path == room or path.startswith(room + "/"):
            return room
    return None


def seen_from(room):
    return SEES.get(room) or SEES.get(room.split("/")[0] + "/*") or []


def arrows(tree, lists):
    """An include leads to the own room or to one that it may see."""
    found = []
    for file in tree.files.values():
        room = room_of(file.path)
        if not room or file.folder.startswith("tests"):
            continue
        for target, name, line in file.seen:
            other = room_of(target) if target else None
            if other and other != room and other not in seen_from(room):
                found.append((file.path, "%s:%d: %s must not see %s (%s)" % (file.path, line, room, other, name)))
        for name, quoted, line in file.includes:
            foreign = FOREIGN.get(room.split("/")[0])
            if foreign and re.match(foreign, name):
                found.append((file.path, "%s:%d: %s must not know <%s>" % (file.path, line, room, name)))
            if quoted and not tree.find(file, name, quoted):
                found.append((file.path, "%s:%d: there is no \"%s\"" % (file.path, line, name)))
    return excuse(found, lists.ARROWS, "ARROWS")


def one_way(sees):
    """No circle of top folders: what two of them share lies where both may look."""
    edges = {}
    for room, others in sees.items():
        for path in [room] + others:
            edges.setdefault(path.split("/")[0], {})
        edges[room.split("/")[0]].update({other.split("/")[0]: room for other in others})
    return ["top folders lead to each other: " + ", ".join(group) for group in circles(edges) if len(group) > 1]


def level_of(parameters):
    """What tells apart two compilations of one kernel: its SIMD level, or the precision whose table it makes."""
    return [p for p in parameters if re.match(r"-D(BW_LEVEL|\w+_TABLE)=", p)]


def sources_of(group):
    """Meson includes the sources of a unity build from files of its own."""
    made = [source for source in group.get("generated_sources", []) if re.search(r"-unity\d+\.", source)]
    return group.get("sources", []) + [name for path in made for name in re.findall(r'#include\s*[<"](.+)[>"]',
                                                                                  open(path).read())]


def compiled_once(tree, targets, lists):
    """A source belongs to one target, kernels to one a SIMD level; and to at least one. Tests link what they like."""
    places, out = {}, []
    for target in targets:
        inside = os.path.relpath(target["defined_in"], tree.root)
        if inside.startswith("tests"):
            continue
        for group in target["target_sources"]:
            for source in sources_of(group):
                path = os.path.relpath(source, tree.root)
                places.setdefault(path, []).append((target["name"], level_of(group.get("parameters", []))))
    for path, users in sorted(places.items()):
        levels = [tuple(level) for _, level in users]
        if len(users) > 1 and (len(set(levels)) < len(levels) or () in levels):
            out.append("%s is compiled into %s: make a library of it" % (path, ", ".join(name for name, _ in users)))
    for path, file in tree.files.items():
        ours = path.endswith((".c", ".cpp")) and not path.startswith("tests/")
        if ours and path not in places and path not in lists.OPTIONAL:
            out.append("%s belongs to no target" % path)
    return out if places else ["the build's list of targets is empty"]


def no_circles(tree, lists):
    """Files that lead to each other, by includes or by names used: two at most, each pair with its reason."""
    found = []
    for what, edges in (("includes", tree.include_edges()), ("uses", tree.use_edges())):
        for group in circles(edges):
            if group[0].startswith("tests/"):
                continue
            ways = [edges[a][b] for a in group for b in group if b in edges[a]]
            found.append((tuple(group), "a circle of %d files by %s: %s\n    %s" % (len(group), what, ", ".join(group),
                                                                          "\n    ".join(ways))))
    out = ["%s: a pair is two files" % (pair,) for pair in lists.PAIRS if len(pair) != 2]
    return out + excuse(found, {**lists.PAIRS, **lists.CIRCLES}, "PAIRS or known.CIRCLES")


def headers_lead(tree, lists):
    """What x.h declares is in x.c or x_….c beside it, or a comment in the header names the file."""
    found, definers = [], tree.definers()
    for path, file in tree.files.items():
        if not file.header or path.startswith(("tests/", "core/include/")): # the SDK promises what core does somewhere
            continue
        for name, line in file.functions_declared():
            if re.search("_(baseline|avx2|avx512)$", name): # a macro makes these names, one a level
                continue
            home = tree.home(path, name, definers)
            if not home:
                found.append((path, "%s:%d: nobody defines %s()" % (path, line, name)))
            elif not (tree.files[home].stem == file.stem or tree.files[home].stem.startswith(file.stem + "_") or
                      tree.files[home].base in file.comments):
                found.append((path, "%s:%d: %s() is in %s: say so in a comment" % (path, line, name, home)))
    return excuse(found, lists.HEADERS, "HEADERS")


def services_public(tree, lists):
    """What one family of plugins offers another is in the SDK: no id of a service is shared behind it."""
    ids = {}
    for path, file in tree.files.items():
        if path.startswith(("plugins/", "exporters/")):
            ids.update(re.findall(r'#define (\w+) ("[a-z_.]+/\d+")', file.text))
    found = []
    for name, said in ids.items():
        users = {path.split("/")[1] for path, file in tree.files.items() if path.startswith(("plugins/", "exporters/"))
                 and (name in file.words or said in file.text)} - {"common"}
        if len(users) > 1:
            found.append((name, "%s, %s, is shared by %s: it belongs into the SDK" % (
                name, said, ", ".join(sorted(users)))))
    return excuse(found, lists.SERVICES, "SERVICES")


def advice(tree):
    """Folders that may hold two ideas: to be looked at, no more."""
    count = {}
    for file in tree.files.values():
        count[file.folder] = count.get(file.folder, 0) + 1
    return ["%s holds %d source files" % (folder, n) for folder, n in sorted(count.items()) if n > FOLDER_FILES]


def picture_true(tree):
    """The picture has a box for each room of SEES, and no other."""
    titles = re.findall(r'font-weight="bold">([^<]*)<', documents.read(tree, "docs/rooms.svg"))
    names = {"core/include/billow/bake.h": "billow/bake.h", "core/include": "core/include/billow/",
             "plugins/*": "plugins/FAMILY/", "exporters/*": "exporters/FORMAT/"}
    rooms = [names.get(room, room + "/") for room in SEES]
    return (["docs/rooms.svg lacks %s" % room for room in rooms if room not in titles] +
            ["docs/rooms.svg draws %s, which is no room" % title for title in titles if title not in rooms])


def checks(tree, targets, facts, lists):
    """[(what, sentences)], an empty list of sentences is good."""
    return [
        ("arrows between rooms", arrows(tree, lists)),
        ("top folders one way", one_way(SEES)),
        ("each source in one target", compiled_once(tree, targets, lists)),
        ("no circle of files", no_circles(tree, lists)),
        ("headers lead to their files", headers_lead(tree, lists)),
        ("services are the SDK's", services_public(tree, lists)),
        ("the picture of the rooms", picture_true(tree)),
    ] + documents.checks(tree, facts, lists)


def facts_of(billow, build):
    """What the program lists, those of this build and not the user's own; and its schema."""
    facts = json.loads(subprocess.run([billow, "list", "--json"], check=True, capture_output=True).stdout)
    for kind in ("stages", "exporters"):
        facts[kind] = [entry for entry in facts[kind] if entry["path"].startswith(build + os.sep)]
    facts["schema"] = json.loads(subprocess.run([billow, "schema"], check=True, capture_output=True).stdout)
    return facts


def main():
    import broken # which needs this file
    if sys.argv[1:] == ["--self-test"]:
        results = broken.results()
    elif len(sys.argv) == 4:
        root, build, billow = map(os.path.abspath, sys.argv[1:])
        results = broken.results()
        with open(os.path.join(build, "meson-info", "intro-targets.json"), encoding="utf-8") as file:
            targets = json.load(file)
        tree = Tree(root)
        assert len(tree.files) > 100, "%s is no tree of Billow's" % root
        results += checks(tree, targets, facts_of(billow, build), known)
        for sentence in advice(tree):
            print("     advice: " + sentence)
    else:
        sys.exit(__doc__)
    for what, sentences in results:
        print("%s %s" % ("ok  " if not sentences else "FAIL", what))
        for sentence in sentences:
            print("    " + sentence)
    failed = sum(1 for _, sentences in results if sentences)
    print("%d passed, %d failed" % (len(results) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
