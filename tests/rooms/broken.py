# SPDX-License-Identifier: Apache-2.0
"""Proof that rooms.py's checks can fail: a small made-up tree that is good, then one thing broken for each rule.

A break counts as noticed when its rule speaks of it, and no other rule does."""
import os
import tempfile
import types

import rooms
from source import Tree

GOOD = {
    "core/include/billow/plugin.h": "int bw_plugin;\n",
    "core/include/billow/bake.h": '#include "plugin.h"\nint bw_bake(void);\n',
    "core/base/alloc.h": "void *bw_alloc(int n);\nextern const int bw_page;\n",
    "core/base/alloc.c": '#include "alloc.h"\n#include <stdlib.h>\nconst int bw_page = 1;\n'
                         "void *bw_alloc(int n)\n{\n    return calloc(n, bw_page);\n}\n",
    "core/grid/grid.c": '#include "base/alloc.h"\nvoid *grid(void) { return bw_alloc(1); }\n',
    "core/run/run.h": "/* Two stay in twin.c. */\nint run_all(void);\nint run_two(void);\nint run_more(void);\n",
    "core/run/run.c": '#include "run.h"\n#include "twin.h"\nint run_all(void)\n{\n    return twin();\n}\n',
    "core/run/run_more.c": '#include "run.h"\nint run_more(void) { return 3; }\n',
    "core/run/twin.h": "// For core/run/run.c and run/run_more.c.\nint twin(void);\n",
    "core/run/twin.c": '#include "twin.h"\n#include "run.h"\nint twin(void) { return 1; }\n'
                       "int run_two(void) { return 2; }\n",
    "library/bake.c": '#include "run/run.h"\n#include <billow/bake.h>\n#include <picture/picture.h>\n'
                        "int bw_bake(void) { return run_all(); }\n",
    "plugins/common/nest.h": "#include <billow/plugin.h>\n",
    "plugins/mac/mac.h": '#include <billow/plugin.h>\nextern const int mac_kernels_baseline;\n',
    "plugins/mac/mac.c": '#include "mac.h"\n#include <common/nest.h>\n',
    "plugins/mac/mac_kernels.c": '#include "mac.h"\n#define NAME_(l) mac_kernels_##l\n#define NAME(l) NAME_(l)\n'
                                 "const int NAME(BW_LEVEL) = 1;\n",
    "plugins/fire/fire.c": "#include <billow/plugin.h>\n",
    "picture/picture.h": "#include <common/nest.h>\n",
    "exporters/vdb/vdb.c": "#include <picture/picture.h>\n",
    "cli/main.c": "#include <billow/bake.h>\nint main(void) { return bw_bake(); }\n",
    "README.md": "# It\n\n[page](docs/architecture.md), <https://example.org>\n\n## Stages\n\n| stage | |\n"
                 "| --- | --- |\n| `mac`, `fire` | all |\n\nExporters: `vdb` (files). Done.\n",
    "docs/architecture.md": "`core/run/`: `run_all()` in `core/run/run.c` asks\n`twin()`.\n\n" + "x" * 130 + "\n\n"
                            "`mac: {speed: [1, {other: 2}]}`, `fire: {heat: 1, smoke: 2}`\n",
    "docs/rooms.svg": "".join('<text font-weight="bold">%s</text>' % title for title in (
        "billow/bake.h", "core/include/billow/", "core/base/", "core/grid/", "core/preset/", "core/run/", "library/",
        "plugins/common/", "plugins/FAMILY/", "picture/", "exporters/FORMAT/", "cli/", "hosts/")),
}
FACTS = {"stages": [{"id": "mac"}, {"id": "fire"}], "exporters": [{"id": "vdb"}],
         "schema": {"properties": {
             "stages": {"items": {"properties": {
                 "mac": {"properties": {"speed": {}}, "additionalProperties": False},
                 "fire": {"properties": {"heat": {}}}}}},
             "export": {"items": {"properties": {"vdb": {"properties": {}, "additionalProperties": False}}}}}}}
PAIR = {("core/run/run", "core/run/twin"): "made up"}


def targets_of(root, files):
    """A target a folder; kernels twice, by level."""
    by_folder = {}
    for path in files:
        if path.endswith(".c"):
            by_folder.setdefault((os.path.dirname(path), "kernels" in path), []).append(os.path.join(root, path))
    out = []
    for (folder, kernels), sources in by_folder.items():
        for level in ["baseline", "avx2"] if kernels else [None]:
            out.append({"name": folder + (level or ""), "defined_in": os.path.join(root, folder, "meson.build"),
                        "target_sources": [{"sources": list(sources),
                                            "parameters": ["-DBW_LEVEL=" + level] if level else []}]})
    return out


def verdict(changes, targets_too=None, facts=FACTS, **lists):
    """{rule: sentences} for the good tree with `changes` (path: text, None takes the file away)."""
    lists = {"PAIRS": PAIR, "CIRCLES": {}, "ARROWS": {}, "HEADERS": {}, "LONG_LINES": {},
             "SERVICES": {}, "OPTIONAL": {}, **lists}
    with tempfile.TemporaryDirectory() as root:
        files = {path: text for path, text in {**GOOD, **changes}.items() if text is not None}
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        targets = targets_of(root, files)
        if targets_too:
            targets_too(root, targets)
        return dict(rooms.checks(Tree(root), targets, facts, types.SimpleNamespace(**lists)))


def twice(path):
    def more(root, targets):
        targets.append({"name": "more", "defined_in": os.path.join(root, "cli/meson.build"),
                        "target_sources": [{"sources": [os.path.join(root, path)], "parameters": []}]})
    return more


def include(path, name):
    return {path: '#include %s\n' % name + GOOD[path]}


def triangle(*, used):
    """a, b and c in a ring: by includes, or by what they call through one header."""
    out = {}
    for name, other in ("ab", "bc", "ca"):
        text = '#include "all.h"\nint ring_%s(void) { return ring_%s(); }\n' % (name, other)
        out["core/run/%s.h" % name] = "" if used else '#include "%s.h"\n' % other
        out["core/run/%s.c" % name] = text if used else '#include "%s.h"\n' % name
    if used:
        out["core/run/all.h"] = "// a.c b.c c.c\nint ring_a(void);\nint ring_b(void);\nint ring_c(void);\n"
    return out


ARROWS, ONCE, CIRCLES, HEADERS, SERVICES = ("arrows between rooms", "each source in one target", "no circle of files",
                                  "headers lead to their files", "services are the SDK's")
LINES, LINKS, PAGE, PICTURE, README, KEYS, CITED, COMMENTS = (
    "lines", "links of documents", "the page of the rooms",
    "the picture of the rooms", "the README's lists", "keys in documents",
    "nothing outside is cited", "files in comments")


def page(text):
    return {"docs/architecture.md": GOOD["docs/architecture.md"] + text}


def readme(old, new):
    return {"README.md": GOOD["README.md"].replace(old, new)}


def breaks():
    """(what, the rule that must speak, arguments of verdict)."""
    return [
        ("base sees run", ARROWS, dict(changes=include("core/base/alloc.c", '"run/run.h"'))),
        ("grid sees run", ARROWS, dict(changes=include("core/grid/grid.c", '"run/run.h"'))),
        ("a plugin sees core", ARROWS, dict(changes=include("plugins/mac/mac.c", '"base/alloc.h"'))),
        ("a plugin sees another", ARROWS, dict(changes=include("plugins/fire/fire.c", "<mac/mac.h>"))),
        ("a plugin sees pictures", ARROWS, dict(changes=include("plugins/fire/fire.c", "<picture/picture.h>"))),
        ("common sees a plugin", ARROWS, dict(changes={
            "plugins/fire/fire.h": "", **include("plugins/common/nest.h", "<fire/fire.h>")})),
        ("an exporter sees a plugin", ARROWS, dict(changes=include("exporters/vdb/vdb.c", "<mac/mac.h>"))),
        ("the program sees core", ARROWS, dict(changes=include("cli/main.c", '"run/run.h"'))),
        ("the program sees the SDK", ARROWS, dict(changes=include("cli/main.c", "<billow/plugin.h>"))),
        ("the SDK sees core", ARROWS, dict(changes=include("core/include/billow/plugin.h", '"base/alloc.h"'))),
        ("run sees the door", ARROWS, dict(changes=include("core/run/twin.c", "<billow/bake.h>"))),
        ("core knows OpenVDB", ARROWS, dict(changes=include("core/run/twin.c", "<openvdb/openvdb.h>"))),
        ("an include leads nowhere", ARROWS, dict(changes=include("core/run/twin.c", '"gone.h"'))),
        ("an excuse too many", ARROWS, dict(changes={}, ARROWS={"cli/main.c": "old"})),
        ("a source in two targets", ONCE, dict(changes={}, targets_too=twice("core/base/alloc.c"))),
        ("a kernel without a level", ONCE, dict(changes={}, targets_too=twice("plugins/mac/mac_kernels.c"))),
        ("a source in no target", ONCE, dict(changes={}, targets_too=lambda root, targets: targets.pop(0))),
        ("three files include in a ring", CIRCLES, dict(changes=triangle(used=False))),
        ("three files call in a ring", CIRCLES, dict(changes=triangle(used=True))),
        ("a pair without a reason", CIRCLES, dict(changes={}, PAIRS={})),
        ("a reason without a pair", CIRCLES, dict(changes={}, PAIRS={**PAIR, ("core/run/a", "core/run/b"): "gone"})),
        ("a header that leads astray", HEADERS, dict(changes={
            "core/run/run.h": GOOD["core/run/run.h"].replace("twin.c", "another file")})),
        ("a function of nobody", HEADERS, dict(changes={"core/run/twin.h": "int twin(void);\nint triplet(void);\n"})),
        ("a service behind the SDK", SERVICES, dict(changes={
            "plugins/common/nest.h": GOOD["plugins/common/nest.h"] + '#define HELP "mac.help/1"\n',
            "plugins/mac/mac.c": GOOD["plugins/mac/mac.c"] + "const char *mac_help = HELP;\n",
            "plugins/fire/fire.c": GOOD["plugins/fire/fire.c"] + "#include <common/nest.h>\n"
                                                                "const char *fire_help = HELP;\n"})),
        ("a long line", LINES, dict(changes=page("word " * 25 + "\n"))),
        ("a long line of code", LINES, dict(changes={
            "core/run/twin.h": "/* " + "word " * 25 + "*/\nint twin(void);\n"})),
        ("a long line of Meson", LINES, dict(changes={"core/meson.build": "files(" + "'a.c', " * 20 + ")\n"})),
        ("a long row", LINES, dict(changes=page("| " + "word " * 25 + "|\n"))),
        ("a link to nothing", LINKS, dict(changes=page("[note](gone.md)\n"))),
        ("a link out of the repository", LINKS, dict(changes=page("[note](../../etc/hosts)\n"))),
        ("the page names a file that is gone", PAGE, dict(changes=page("`core/run/gone.c`\n"))),
        ("the page names a folder that is gone", PAGE, dict(changes=page("`core/gone/`\n"))),
        ("the page names a function that is gone", PAGE, dict(changes=page("`gone()`\n"))),
        ("the page names another file", PAGE, dict(changes=page("`run_all()` in `core/run/twin.c`\n"))),
        ("a page that cites a paper elsewhere", CITED, dict(changes=page("As DESIGN has it.\n"))),
        ("a comment that cites a paper elsewhere", CITED, dict(changes={
            "core/run/twin.h": "// ../shared\nint twin(void);\n"})),
        ("a comment that names a file that is gone", COMMENTS, dict(changes={
            "core/run/twin.h": "// as gone.c\nint twin(void);\n"})),
        ("a room that the picture lacks", PICTURE, dict(changes={
            "docs/rooms.svg": GOOD["docs/rooms.svg"].replace("core/run/", "")})),
        ("a stage that the README lacks", README, dict(changes=readme("`mac`, ", ""))),
        ("a stage that only the README has", README, dict(changes=readme("`mac`", "`mac`, `gone`"))),
        ("a stage twice", README, dict(changes=readme("`mac`", "`mac`, `mac`"))),
        ("an exporter that the README lacks", README, dict(changes=readme("`vdb`", "vdb"))),
        ("a key that a stage lacks", KEYS, dict(changes=page("    - mac: {speed: 1,\n      pace: 2}\n"))),
        ("a document that shows no stage", KEYS, dict(changes={
            "docs/architecture.md": GOOD["docs/architecture.md"].replace("{", "(")})),
        ("an empty list", README, dict(changes={}, facts={**FACTS, "stages": [], "exporters": []})),
    ]


def results():
    good = verdict({})
    out = [("self-test: a good tree", ["%s: %s" % (rule, s) for rule, found in good.items() for s in found])]
    for what, rule, arguments in breaks():
        spoke = [name for name, found in verdict(**arguments).items() if found]
        out.append(("self-test: %s is noticed" % what,
                    [] if spoke == [rule] else ["%s should speak; speaking: %s" % (rule, ", ".join(spoke) or "none")]))
    ring = rooms.one_way({"core/run": ["core/base", "library"], "library": ["core/run"]})
    out.append(("self-test: top folders in a ring are noticed", [] if ring else ["nothing said"]))
    return out
