# SPDX-License-Identifier: Apache-2.0
"""What README.md and docs/ say, checked against the tree, the program's lists and its schema."""
import os
import re

from source import FOLDERS, SUFFIXES, excuse

LINE = 120


def documents(tree):
    out = ["README.md"]
    for at, folders, names in os.walk(os.path.join(tree.root, "docs")):
        folders.sort()
        out += [os.path.relpath(os.path.join(at, name), tree.root) for name in sorted(names) if name.endswith(".md")]
    return out


def read(tree, path):
    with open(os.path.join(tree.root, path), encoding="utf-8") as file:
        return file.read()


def builders(tree):
    """dev, and every meson.build of the folders that are read."""
    out = [path for path in ("dev", "meson.build") if tree.exists(path)]
    for top in FOLDERS:
        for at, folders, names in os.walk(os.path.join(tree.root, top)):
            out += [os.path.relpath(os.path.join(at, name), tree.root) for name in names if name == "meson.build"]
    return out


def lines_short(tree, lists):
    """Characters, not bytes; a word that can't be broken, an address say, may be as long as it is."""
    texts = [(path, read(tree, path)) for path in documents(tree) + builders(tree)]
    texts += [(path, file.text) for path, file in tree.files.items()]
    found = [("/".join(path.split("/")[:2]), "%s:%d: %d characters" % (path, number, len(line)))
             for path, text in texts for number, line in enumerate(text.split("\n"), 1)
             if len(line) > LINE and max(map(len, line.split())) < LINE - 10]
    return excuse(found, lists.LONG_LINES, "LONG_LINES")


def links_lead(tree):
    """What a document links to is in the repository, or has an address."""
    out = []
    for path in documents(tree):
        for target in re.findall(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: +(\S+)|src=\"([^\"]+)\"", read(tree, path), re.M):
            target = "".join(target).split("#")[0]
            if not target or re.match(r"https?:", target):
                continue
            place = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if place.startswith("..") or not tree.exists(place):
                out.append("%s links to %s, which is not here" % (path, target))
    return out


def nothing_outside(tree):
    """Nobody cites the papers on the desk: what a reader of the repository can't open is no source."""
    words = re.compile(r"\b(DESIGN|STYLE|ECOSYSTEM|PHYSICS)\b|\.\./shared\b")
    texts = [(path, read(tree, path)) for path in documents(tree)]
    texts += [(path, file.comments) for path, file in tree.files.items()]
    return ["%s cites %s, which is not here" % (path, word) for path, text in texts
            for word in sorted({match.group(0) for match in words.finditer(text)})]


def comments_true(tree):
    """A comment that names a source file names one that is there."""
    here = {os.path.basename(path) for path in tree.files}
    names = re.compile(r"(?<![\w./<-])((?:\w+/)*[a-z]\w*\.(?:c|h|cpp|hpp))\b")
    return ["%s: a comment names %s, which is not here" % (path, name) for path, file in tree.files.items()
            for name in sorted(set(names.findall(file.comments)))
            if os.path.basename(name) not in here or ("/" in name and
                                                      not any(("/" + p).endswith("/" + name) for p in tree.files))]


def page_true(tree, path="docs/architecture.md"):
    """Files, folders and functions that the page names are there; a function in a file that its line names."""
    out, defined = [], {}
    for file in tree.files.values():
        for function in file.functions:
            defined.setdefault(function.name, set()).add(file.path)
    text, bare = read(tree, path), {os.path.basename(p) for p in tree.files} | {"resolved.yaml", "meson.build"}
    if not re.search(r"`\w+\(\)`", text):
        out.append("%s names no function" % path)
    for number, line in enumerate(text.split("\n"), 1):
        words = re.findall(r"`([^`]+)`", line)
        files = [w for w in words if re.fullmatch(r"[\w./-]+\.(c|h|cpp|hpp|py|sh|md|yaml|build)", w)]
        folders = [w for w in words if re.fullmatch(r"[\w./-]+/", w)]
        for word in files + folders:
            # a bare name is a file that a bake makes, one of many (module.c), or a folder in one that the line names
            inside = [w + word for w in folders if word.count("/") == 1 and word.endswith("/")]
            if not any(map(tree.exists, [word] + inside)) and ("/" in word or word not in bare):
                out.append("%s:%d: there is no %s" % (path, number, word))
        for word in words:
            match = re.fullmatch(r"(\w+)\(\)", word)
            if not match:
                continue
            homes = defined.get(match.group(1), set())
            if not homes:
                out.append("%s:%d: there is no %s()" % (path, number, match.group(1)))
            elif [f for f in files if f.endswith(SUFFIXES)] and not homes & set(files):
                out.append("%s:%d: %s() is in %s" % (path, number, match.group(1), ", ".join(sorted(homes))))
    return out


def readme_lists(tree, facts):
    """The README names every stage and exporter that there is, and no other."""
    text, out = read(tree, "README.md"), []
    table = text.split("## Stages", 1)[-1].split("\n\n", 2)
    rows = [row.split("|")[1] for row in (table[1] if len(table) > 1 else "").split("\n")[2:]]
    line = re.findall(r"^Exporters: (.*?)\.(?:\s|$)", text, re.M | re.S)
    named = {"stages": re.findall(r"`([^`]+)`", " ".join(rows)), "exporters": re.findall(r"`([^`]+)`", " ".join(line))}
    for kind, names in named.items():
        real = {entry["id"] for entry in facts[kind]}
        out += ["README.md names no %s `%s`" % (kind[:-1], n) for n in sorted(real - set(names))]
        out += ["README.md names `%s`, which is no %s" % (n, kind[:-1]) for n in sorted(set(names) - real)]
        out += ["README.md names `%s` twice" % n for n in sorted(set(names)) if names.count(n) > 1]
        out += [] if real else ["`billow list` knows no %s" % kind]
    return out


def braces(text, at):
    """The inside of the braces that open at `at`, or None where they do not close."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[at + 1:i]
    return None


def keys_of(inside):
    """The keys of a map in YAML's short form, those of maps within it apart."""
    flat = re.sub(r'"[^"]*"', "", inside)
    while re.search(r"[{\[][^{}\[\]]*[}\]]", flat):
        flat = re.sub(r"[{\[][^{}\[\]]*[}\]]", "", flat)
    return re.findall(r"(?:^|,)\s*([A-Za-z][\w.]*)\s*:", flat)


def snippets_true(tree, facts):
    """Where a document writes `STAGE: {KEY: …}`, the stage, exporter or section has that key."""
    properties, out, found = facts["schema"]["properties"], [], 0
    heads = {name: [schema] for name, schema in properties.items() if schema.get("properties")}
    for kind in ("stages", "export"):
        items = properties[kind]["items"]
        for form in items.get("anyOf", [items]): # an entry may be a name alone
            for name, schema in form.get("properties", {}).items():
                heads.setdefault(name, []).append(schema)
    for path in documents(tree):
        text = read(tree, path)
        for match in re.finditer(r"(?:`|- |^)([a-z][\w.]*):\s+(?=\{)", text, re.M):
            inside = braces(text, match.end())
            if inside is None or match.group(1) not in heads:
                continue
            found += 1
            for key in keys_of(inside):
                if not any(key in schema.get("properties", {}) or schema.get("additionalProperties", True)
                           for schema in heads[match.group(1)]):
                    out.append("%s:%d: %s has no key `%s`" % (path, text.count("\n", 0, match.start()) + 1,
                                                             match.group(1), key))
    return out if found else ["no document shows a stage with its keys"]


def checks(tree, facts, lists):
    """[(what, sentences)], an empty list of sentences is good."""
    return [
        ("lines", lines_short(tree, lists)),
        ("links of documents", links_lead(tree)),
        ("nothing outside is cited", nothing_outside(tree)),
        ("files in comments", comments_true(tree)),
        ("the page of the rooms", page_true(tree)),
        ("the README's lists", readme_lists(tree, facts)),
        ("keys in documents", snippets_true(tree, facts)),
    ]
