# SPDX-License-Identifier: Apache-2.0
"""Draws Vega-Lite specifications as images with vl-convert. Standard input is JSON: {"format": "svg", "png" or "pdf",
"figures": [{"name", "specification", "image": path}]}. The answer is a JSON list of what Vega-Lite warned about:
["compile_time: …"]. Nothing outside the specifications is read."""
import json
import os
import sys
import tempfile

import vl_convert

SCALE_OF_PNG = 2


def warned(convert):
    """Returns the function's value and what was printed on stderr meanwhile, by libraries too."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            value = convert()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        printed.seek(0)
        return value, printed.read().decode(errors="replace").strip()


def image_of(vega, kind):
    if kind == "svg":
        return vl_convert.vega_to_svg(vega, allowed_base_urls=[]).encode()
    if kind == "png":
        return vl_convert.vega_to_png(vega, scale=SCALE_OF_PNG, allowed_base_urls=[])
    return vl_convert.vega_to_pdf(vega, allowed_base_urls=[])


def main():
    wanted = json.load(sys.stdin)
    warnings = []
    for figure in wanted["figures"]:
        try:
            vega, first = warned(lambda: vl_convert.vegalite_to_vega(figure["specification"], show_warnings=True))
            image, second = warned(lambda: image_of(vega, wanted["format"]))
        except (OSError, ValueError) as error:
            sys.exit(f"{figure['name']}: " + " ".join(str(error).split())[:500])
        with open(figure["image"], "wb") as file:
            file.write(image)
        warnings += [f"{figure['name']}: {line}" for text in (first, second) for line in text.splitlines() if line]
    print(json.dumps(warnings))


main()
