# SPDX-License-Identifier: Apache-2.0
"""Finds the Python files of a user's model through its `import` statements, as Python itself parses them.

Runs in the model's folder as `python3 -c TEXT FILE MOST`. The answer is a JSON list of at most MOST paths:
FILE first, the others sorted.
"""

import ast
import json
import os
import sys
import warnings


def modules_in(path):
    """Yields the first parts of the modules that a file imports: "a" of `from a.b import c`.

    Ignores relative imports, which name modules of the same package.
    """
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def sources_of(package):
    for folder, _, names in os.walk(package):
        paths = (os.path.join(folder, name) for name in names if os.path.splitext(name)[1] == ".py")
        yield from filter(os.path.isfile, paths)


def files_of(first, most):
    """Returns `first` and every file here that it or one of these imports. A package gives all of its .py files."""
    found = set()
    open_files = [(first, False)]
    while open_files:
        path, is_of_package = open_files.pop()
        if path in found:
            continue
        found.add(path)
        if len(found) > most:
            sys.exit(f"imports more than {most} files")
        try:
            modules = sorted(set(modules_in(path)))
        except (SyntaxError, ValueError, RecursionError) as error:
            if is_of_package:
                continue  # for example a template, which nothing imports
            line = getattr(error, "lineno", None)
            sys.exit(f"{path}{f', line {line}' if line else ''}: {getattr(error, 'msg', None) or error}")
        for module in modules:
            if os.path.isfile(module + ".py"):
                open_files.append((module + ".py", False))
            elif os.path.isdir(module):
                open_files += ((source, True) for source in sources_of(module))
    return [first, *sorted(found - {first})]


warnings.simplefilter("ignore")  # warnings about the user's code
try:
    answer = files_of(sys.argv[1], int(sys.argv[2]))
except OSError as error:
    sys.exit(str(error))
print(json.dumps(answer))
