# SPDX-License-Identifier: Apache-2.0
"""The binding against the header: every function, every member's offset, every number."""
import ctypes
import os
import re
import subprocess

import billow
from billow import _bake, _library, _structs, errors, fields, frame
from support import SOURCE, Case

INCLUDE = SOURCE / "core" / "include"


class Layout(Case):
    def facts_of_header(self, lines):
        """What a C program prints that includes bake.h."""
        source = self.write("layout.c", "#include <billow/bake.h>\n#include <stdio.h>\n#define _S(x) sizeof(x)\n"
                            "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
        exe = self.folder / "layout"
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run([*compiler, f"-I{INCLUDE}", "-include", "stddef.h", str(source), "-o", str(exe)], check=True)
        return subprocess.run([str(exe)], check=True, text=True, stdout=subprocess.PIPE).stdout.split("\n")[:-1]

    def test_structs(self):
        lines, ours = [], []
        for name, struct in _structs.IN_C.items():
            lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
            ours.append(f"{name} {ctypes.sizeof(struct)}")
            for member, _kind in struct._fields_:
                at = getattr(struct, member)
                lines.append(f'printf("{name}.{member} %zu %zu\\n", offsetof(struct {name}, {member}),'
                             f' sizeof(((struct {name} *)0)->{member}));')
                ours.append(f"{name}.{member} {at.offset} {at.size}")
        self.assertEqual(self.facts_of_header(lines), ours)
        self.assertGreater(len(ours), 100)

    def test_numbers(self):
        ours = {**{f"BW_BAKE_{name.upper()}": number for name, number in _bake.MODES.items()},
                "BW_PIXELS_FLOAT": frame.FLOAT, "BW_PIXELS_ALPHA": frame.ALPHA, "BW_F32": 0, "BW_F64P": 1, "BW_I64": 2,
                **{f"BW_{name.upper()}": number for number, name in enumerate(fields.KINDS)}}
        names = {"UsageError": "USAGE", "PresetError": "PRESET", "PluginError": "PLUGIN", "DivergedError": "DIVERGED",
                 "FileError": "IO", "LimitError": "LIMIT", "OutOfMemoryError": "MEMORY", "Cancelled": "CANCELLED"}
        ours.update({f"BW_ERR_{names[kind.__name__]}": status for status, kind in errors.BY_STATUS.items()})
        told = self.facts_of_header([f'printf("{name} %d\\n", (int){name});' for name in ours])
        self.assertEqual(told, [f"{name} {number}" for name, number in ours.items()])

    def test_functions(self):
        header = "".join((INCLUDE / "billow" / name).read_text(encoding="utf-8") for name in ("bake.h", "cache.h"))
        declared = re.findall(r"^BW_API [\w \*]*?\*?(bw_\w+)\(", header, re.M)
        self.assertGreater(len(declared), 25)
        self.assertEqual(sorted(declared), sorted(_library._PROTOTYPES))

    def test_version(self):
        self.assertRegex(billow.__version__, r"^0\.1\.")
