#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which preset of the gallery changed since its picture was made. docs/gallery/made.txt has a line a picture: preset,
frame, and a hash of what the preset says, of what it extends, and of the files that it names; comments do not count.

    gallery.py ROOT                       check: every picture of docs/gallery.md has its line, every hash is today's
    gallery.py ROOT --changed NAME:FRAME… those whose pictures are out of date, a line each
    gallery.py ROOT --recipes FOLDER      the guide's recipes, a file each; they are called recipes/NAME here
    gallery.py ROOT --made NAME:FRAME     its picture was made just now"""
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile


MOST = 60 << 10 # bytes of a recipe's picture


def said(text):
    """What a preset says: its text without comments and what surrounds them."""
    lines = (re.sub(r"(^|\s)#\s.*", "", line).rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def feed(total, folder, name, seen):
    path = folder / (name if name.endswith(".yaml") else name + ".yaml")
    if path in seen:
        return
    seen.add(path)
    text = said(path.read_text())
    total.update(text.encode() + b"\0")
    for base in re.findall(r"^extends:\s*(\S+)", text, re.M):
        feed(total, folder, base, seen)
    for name in re.findall(r"file:\s*\"?([\w./-]+)", text):
        if (folder / name).is_file():
            total.update((folder / name).read_bytes())


def recipes(root):
    """Each recipe of the guide by its name, the words of its title up to a colon or a comma."""
    guide = root / "docs/guide/recipes.md"
    text = guide.read_text() if guide.exists() else ""
    out = {}
    for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S):
        title = re.match(r"# ([^:,\n]*(?:, from a file)?)", block).group(1)
        out[re.sub(r"\W+", "_", title)] = block
    return out


def hash_of(root, name):
    total = hashlib.sha256()
    if name.startswith("recipes/"):
        text = recipes(root).get(name[8:], "")
        total.update(said(text).encode() + b"\0")
        for base in re.findall(r"^extends:\s*(\S+)", text, re.M):
            feed(total, root / "presets", base, set())
        return total.hexdigest()[:16]
    feed(total, root / "presets", name, set())
    return total.hexdigest()[:16]


def made_read(root):
    path = root / "docs/gallery/made.txt"
    lines = path.read_text().split("\n") if path.exists() else []
    return {name: (frame, was) for name, frame, was in (line.split() for line in lines if line and line[0] != "#")}


def made_write(root, name, frame):
    made = made_read(root)
    made[name] = (frame, hash_of(root, name))
    text = "# Preset, frame, and what the preset was when its picture was made: ./dev gallery writes this.\n"
    (root / "docs/gallery/made.txt").write_text(
        text + "".join("%s %s %s\n" % (k, *made[k]) for k in sorted(made)))


def changed(root, wanted):
    made = made_read(root)
    return [entry for entry in wanted
            if made.get(entry.split(":")[0]) != (entry.split(":")[1], hash_of(root, entry.split(":")[0]))]


def check(root):
    made = made_read(root)
    shown = set(re.findall(r"gallery/(\w+)\.jpg", (root / "docs/gallery.md").read_text()))
    shown |= {"recipes/" + name for name in recipes(root)}
    out = ["%s: it is shown, made.txt has no line for it" % name for name in sorted(shown - set(made))]
    for name, (frame, was) in made.items():
        if not (root / "docs/gallery" / (name + ".jpg")).exists():
            out.append("%s: docs/gallery/%s.jpg is missing" % (name, name))
        elif name.startswith("recipes/") and (root / "docs/gallery" / (name + ".jpg")).stat().st_size > MOST:
            out.append("%s: its picture has more than %d bytes" % (name, MOST))
        if was != hash_of(root, name):
            out.append("%s: the preset changed since its picture was made: ./dev gallery %s" % (name, name))
    return out


def self_test(root):
    """The check notices a changed value, base and file, and no comment."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        (copy / "docs/gallery").mkdir(parents=True)
        (copy / "presets/meshes").mkdir(parents=True)
        (copy / "docs/gallery.md").write_text("gallery/one.jpg")
        (copy / "docs/gallery/one.jpg").write_text("")
        parts = {"one.yaml": "# a\nextends: base.yaml\nx: 1 # b\n", "base.yaml": "y: {file: meshes/a.obj}\n",
                 "meshes/a.obj": "v"}
        for name, text in parts.items():
            (copy / "presets" / name).write_text(text)
        assert len(check(copy)) == 1, "a picture without a line"
        made_write(copy, "one", "5")
        assert not check(copy) and not changed(copy, ["one:5"]) and changed(copy, ["one:6"])
        (copy / "presets/one.yaml").write_text(parts["one.yaml"].replace("# a", "# other"))
        assert not check(copy), "a comment"
        for name, text in parts.items():
            (copy / "presets" / name).write_text(text.replace("1", "2").replace("y:", "z:").replace("v", "w"))
            assert check(copy), name
            (copy / "presets" / name).write_text(text)
        (copy / "docs/gallery/recipes").mkdir()
        (copy / "docs/gallery/recipes/more.jpg").write_text("")
        guide = "# Recipes\n\n```yaml\n# more: and more\nextends: one\nx: 3\n```\n"
        (copy / "docs/guide").mkdir()
        (copy / "docs/guide/recipes.md").write_text(guide)
        assert len(check(copy)) == 1, "a recipe without a line"
        made_write(copy, "recipes/more", "5")
        assert not check(copy), check(copy)
        for text in (guide.replace("x: 3", "x: 4"), guide.replace("more:", "less:")):
            (copy / "docs/guide/recipes.md").write_text(text)
            assert check(copy), text
        (copy / "docs/guide/recipes.md").write_text(guide)
        (copy / "docs/gallery/recipes/more.jpg").write_bytes(bytes(MOST + 1))
        assert check(copy), "a large picture"
        shutil.rmtree(copy / "docs/gallery")


def main():
    root = pathlib.Path(sys.argv[1])
    if sys.argv[2:3] == ["--changed"]:
        print("\n".join(changed(root, sys.argv[3:])))
    elif sys.argv[2:3] == ["--recipes"]:
        for name, text in recipes(root).items():
            (pathlib.Path(sys.argv[3]) / (name + ".yaml")).write_text(text + "billow: 1\nname: recipe\n")
    elif sys.argv[2:3] == ["--made"]:
        made_write(root, *sys.argv[3].split(":"))
    else:
        self_test(root)
        if not (root / "docs/gallery/made.txt").exists():
            print("no picture was made by ./dev gallery yet")
            sys.exit(77)  # skipped
        found = check(root)
        print("\n".join(found) or "ok %d pictures" % len(made_read(root)))
        sys.exit(bool(found))


main()
