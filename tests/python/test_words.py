# SPDX-License-Identifier: Apache-2.0
"""What there is: names, tables, wrong names, and where the library is looked for."""
import os
import unittest.mock

import billow
from billow import _find
from support import PUFF, SOURCE, Case, child


class Words(Case):
    def test_list(self):
        listed = billow.list()
        self.assertIn("mac.project", [stage["id"] for stage in listed["stages"]])
        self.assertIn("vdb", [exporter["id"] for exporter in listed["exporters"]])
        self.assertIn("plume", [preset["name"] for preset in listed["presets"]])
        self.assertEqual(listed["broken"], [])

    def test_info(self):
        fire = billow.info("fire")["stage"]
        self.assertEqual(fire["id"], "fire")
        self.assertTrue(all(row["doc"] for row in fire["parameters"]))
        self.assertIn("preset", billow.info("plume"))

    def test_info_of_nothing(self):
        with self.assertRaises(billow.UsageError) as caught:
            billow.info("mac.projekt")
        self.assertIn("did you mean mac.project?", str(caught.exception))

    def test_machine_and_schema(self):
        self.assertGreater(billow.machine()["cores"], 0)
        self.assertIn("properties", billow.schema())

    def test_check(self):
        checked = billow.check(text=PUFF)
        self.assertIn("mac.project", checked["resolved"])
        self.assertEqual((checked["first"], checked["last"]), (1, 4))

    def test_own_folders(self):
        self.write("mine.yaml", PUFF.replace("name: puff", "name: mine"))
        with billow.Session(preset_path=[self.folder]) as session:
            self.assertEqual(session.prepare("mine").name, "mine")
            self.assertIn("mine", [preset["name"] for preset in session.list()["presets"]])

    def test_broken_plugin(self):
        (self.folder / "rotten.so").write_bytes(b"not a library")
        with self.assertLogs("billow", "WARNING") as log, billow.Session(plugin_path=self.folder) as session:
            self.assertIn("rotten.so", session.list()["broken"][0]["path"])
        self.assertIn("rotten.so", log.output[0])
        with self.assertRaises(billow.PluginError):
            billow.validate_plugin(self.folder / "rotten.so")


class Library(Case):
    def test_where_it_is_looked_for(self):
        with unittest.mock.patch.dict(os.environ):
            os.environ["BILLOW_LIBRARY"] = "/my/own.so"
            self.assertEqual(list(_find.candidates()), ["/my/own.so"])
            del os.environ["BILLOW_LIBRARY"]
            in_tree = str(SOURCE / "build" / "library" / "libbillow.so.0")
            self.assertEqual(list(_find.candidates()), [in_tree, "libbillow.so.0"])
    def test_nowhere(self):
        process = child("import billow", BILLOW_LIBRARY=str(self.folder / "no.so"))
        _out, errors = process.communicate()
        self.assertIn("ImportError", errors)
        self.assertIn("no.so (not there)", errors)

    def test_nothing_is_printed(self):
        process = child("import billow; billow.bake(text='''" + PUFF + "''')")
        out, errors = process.communicate()
        self.assertEqual((process.returncode, out, errors), (0, "", ""))

    def test_leaves_the_process_alone(self):
        process = child("import os, signal, locale, billow\n"
                        "def process():\n"
                        "    return [signal.getsignal(n) for n in (2, 13, 15)], os.getcwd(), locale.setlocale(0)\n"
                        "before = process()\n"
                        "billow.bake(text='''" + PUFF + "''')\n"
                        "assert process() == before")
        self.assertEqual(process.communicate()[1], "")
        self.assertEqual(process.returncode, 0)
