# SPDX-License-Identifier: Apache-2.0
"""The package has types, and they hold; every public name is documented."""

import inspect
import os
import subprocess
import sys
import tempfile
import unittest

from package import ROOT, ngb


class Types(unittest.TestCase):
    def test_mypy_finds_no_error_when_it_is_strict(self):
        with tempfile.TemporaryDirectory() as cache:
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            checked = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache, "ngraphbench"],
                                     cwd=ROOT / "python/client", env=environment, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertTrue((ROOT / "python/client/ngraphbench/py.typed").exists())

    def test_every_public_name_and_property_has_a_docstring(self):
        public = [getattr(ngb, name) for name in ngb.__all__]
        members = [member for each in public if inspect.isclass(each) for name, member in vars(each).items()
                   if not name.startswith("_") and (callable(member) or isinstance(member, property))]
        self.assertEqual([each for each in (*public, *members) if not inspect.getdoc(each)], [])

    def test_the_page_names_everything_that_is_public(self):
        page = (ROOT / "docs/python.md").read_text()
        self.assertEqual([name for name in ngb.__all__ if name not in page], [])


if __name__ == "__main__":
    unittest.main()
