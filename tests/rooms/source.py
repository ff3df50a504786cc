# SPDX-License-Identifier: Apache-2.0
"""Reads C and C++ files as far as rooms.py and figures.py need: includes, functions, names, who uses whose.

No compiler: the house style lets a few rules do. Functions and declarations begin in column 0, braces pair up."""
import os
import re

SUFFIXES = (".c", ".h", ".cpp", ".hpp")
FOLDERS = ("core", "plugins", "picture", "exporters", "library", "cli", "hosts", "tests")
# Where <> and "" names are looked up besides the file's own folder; a room's own folder comes first.
ROOTS = (".", "core/include", "core", "plugins", "library", "cli", "hosts", "hosts/web", "tests", "tests/support")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
NAME = re.compile(r"[A-Za-z_]\w*")
CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
VARIABLE = re.compile(r"^\s*(?:const\s+)?(?:struct\s+)?\w+[\s*]+(?:const\s+)?([A-Za-z_]\w*)\s*(\[[^\]]*\]\s*)*$")
TRANSPARENT = re.compile(r'^\s*(extern\s*""|namespace(\s+\w+)?|inline\s+namespace\s+\w+)\s*$')


def blank(match):
    text = match.group(0)
    if text[0] in "\"'":
        return text[0] * 2
    return "\n" * text.count("\n") or " "


class Function:
    def __init__(self, name, first, lines, static):
        self.name, self.first, self.lines, self.static = name, first, lines, static


class File:
    """One file: `includes` as written, `functions` defined, `data` defined, `declared` names, `words` it mentions."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.folder, self.base = os.path.split(path)
        self.stem = re.sub("_private$", "", os.path.splitext(path)[0]) # x_private.h is x.h for x's own files
        self.header = path.endswith((".h", ".hpp"))
        self.includes = [(m.group(2), m.group(1) == '"', text.count("\n", 0, m.start()) + 1)
                         for m in INCLUDE.finditer(text)]
        code = TOKEN.sub(blank, text)
        self.comments = "\n".join(m.group(0) for m in TOKEN.finditer(text) if m.group(0)[0] == "/")
        self.words = set(NAME.findall(code))
        self.functions, self.data, self.declared, self.data_declared = [], set(), {}, set()
        self.read(DIRECTIVE.sub(lambda m: "\n" * m.group(0).count("\n"), code))

    def read(self, code):
        depth, head, start, line = 0, "", 1, 1
        function = None
        for piece in re.split(r"([{};\n])", code):
            if piece == "\n":
                line += 1
                head += " " if depth == 0 else ""
            elif piece == "{":
                if depth == 0 and TRANSPARENT.match(head):
                    head = ""
                    continue
                if depth == 0:
                    function = self.function_of(head, start)
                    if not function:
                        self.define(head)
                depth += 1
            elif piece == "}":
                depth = max(0, depth - 1)
                if depth == 0 and function:
                    function.lines = line - function.first + 1
                    self.functions.append(function)
                    function, head = None, ""
            elif piece == ";":
                if depth == 0:
                    self.declare(head, start)
                    head = ""
            elif depth == 0 and piece.strip():
                if not head.strip():
                    start = line
                head += piece

    def functions_declared(self):
        """(name, line) of each function that this header declares for others."""
        return [(name, line) for name, line in self.declared.items() if name not in self.data_declared]

    @staticmethod
    def function_of(head, start):
        """The function that `head` opens, or None where it opens a struct, an enum or a table."""
        call = CALL.search(re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head))
        if not call or "=" in head[:call.start()] or call.group(1) in ("if", "for", "while", "switch"):
            return None
        return Function(call.group(1), start, 1, bool(re.search(r"\bstatic\b", head[:call.start()])))

    def define(self, head):
        """A table with its values."""
        match = re.match(r"^(.*?)([A-Za-z_]\w*)\s*(\[[^=]*\]\s*)*=", head)
        if match and not re.search(r"\bstatic\b|\btypedef\b", head):
            self.data.add(match.group(2))

    def declare(self, head, line):
        head = re.sub(r"\{[^{}]*\}", "", head)
        if re.search(r"\b(typedef|static|using|friend)\b", head) and "inline" not in head:
            return
        if re.search(r"\bextern\b", head):
            head = re.sub(r"\bextern\b|\bconst\b", "", head)
            if "(" not in head:
                for part in head.split(","):
                    names = NAME.findall(re.sub(r"\[.*?\]", "", part))
                    if names:
                        self.declared[names[-1]] = line
                        self.data_declared.add(names[-1])
                return
        call = CALL.search(head)
        if "=" in head.split("(")[0]:
            self.define(head)
        elif call and re.match(r"^\s*[A-Za-z_]\w*[\w\s\*]*$", head[:call.start()]) and head.rstrip().endswith(")"):
            self.declared[call.group(1)] = line
        elif not call:
            match = VARIABLE.match(head)
            if match and not head.lstrip().startswith(("struct", "union", "enum")):
                self.data.add(match.group(1))


class Tree:
    def __init__(self, root):
        self.root, self.files = root, {}
        for folder in FOLDERS:
            for at, folders, names in os.walk(os.path.join(root, folder)):
                folders[:] = sorted(f for f in folders if not f.startswith((".", "__")))
                for name in sorted(names):
                    if name.endswith(SUFFIXES):
                        path = os.path.relpath(os.path.join(at, name), root)
                        with open(os.path.join(at, name), encoding="utf-8", errors="replace") as file:
                            self.files[path] = File(path, file.read())
        for file in self.files.values():
            file.seen = [(self.find(file, name, quoted), name, line) for name, quoted, line in file.includes]

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def find(self, file, name, quoted):
        """The file of the tree that an #include means; "NAME.in" where it is generated; None: the system's."""
        top, family = file.path.split("/")[0], "/".join(file.path.split("/")[:2])
        places = ([file.folder] if quoted else []) + [family, top] + list(ROOTS)
        for place in places:
            path = os.path.normpath(os.path.join(place, name))
            if path in self.files:
                return path
            if self.exists(path + ".in"):
                return path + ".in"
        return None

    def reach(self, path, known=None):
        """All files that `path` includes, however indirectly."""
        known = set() if known is None else known
        for target, _, _ in self.files[path].seen:
            if target in self.files and target not in known:
                known.add(target)
                self.reach(target, known)
        return known

    def definers(self):
        """name -> files that define it for others."""
        out = {}
        for file in self.files.values():
            for name in [f.name for f in file.functions if not f.static] + sorted(file.data):
                out.setdefault(name, []).append(file.path)
        return out

    def home(self, header, name, definers):
        """The file that defines what `header` declares: the nearest in the tree, by the path they share."""
        places = [p for p in definers.get(name, []) if p != header]
        if header in definers.get(name, []):
            return header
        return max(places, key=lambda p: len(os.path.commonprefix([p, header]))) if places else None

    def include_edges(self):
        """unit -> {unit: why} by #include; x.c and x.h are one unit, "folder/x"."""
        edges = {}
        for file in self.files.values():
            own = edges.setdefault(file.stem, {})
            for target, name, line in file.seen:
                if target in self.files and self.files[target].stem != file.stem:
                    own.setdefault(self.files[target].stem, "%s:%d includes %s" % (file.path, line, name))
        return edges

    def use_edges(self):
        """The same by use: a file mentions what a header declares and another file defines."""
        definers, edges = self.definers(), {}
        homes = {p: {n: self.home(p, n, definers) for n in f.declared} for p, f in self.files.items() if f.header}
        for file in self.files.values():
            own = edges.setdefault(file.stem, {})
            for header in [] if file.header else sorted(self.reach(file.path)):
                for name, home in homes.get(header, {}).items():
                    if home and name in file.words and self.files[home].stem != file.stem:
                        own.setdefault(self.files[home].stem, "%s uses %s of %s" % (file.path, name, home))
        return edges


def excuse(found, known_ones, where):
    """Sentences for what is not excused, and for excuses that nothing needs. `found`: [(key, sentence)]."""
    keys = {key for key, _ in found}
    out = [sentence for key, sentence in found if key not in known_ones]
    return out + ["%s is no longer needed in known.%s: drop it" % (key, where) for key in known_ones if key not in keys]


def circles(edges):
    """Sets of more than one node that all lead to each other, Tarjan's way but without recursion."""
    order, low, stack, on, out, count = {}, {}, [], set(), [], 0
    for root in sorted(edges):
        if root in order:
            continue
        work = [(root, iter(sorted(edges[root])))]
        order[root] = low[root] = count
        count += 1
        stack.append(root)
        on.add(root)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in order:
                    order[other] = low[other] = count
                    count += 1
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(edges.get(other, ())))))
                    break
                if other in on:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    group = []
                    while True:
                        group.append(stack.pop())
                        on.discard(group[-1])
                        if group[-1] == node:
                            break
                    if len(group) > 1:
                        out.append(sorted(group))
    return sorted(out)
