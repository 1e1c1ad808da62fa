# SPDX-License-Identifier: Apache-2.0
"""Draws Vega-Lite specifications as images with vl-convert. Standard input is JSON: {"format": "svg", "png" or "pdf",
"width_px": of all images at 96 pixels an inch, or 0: as they come, "figures": [{"name", "specification", "image": path}]}.
The answer is a JSON list of what Vega-Lite warned about: ["compile_time: …"]. Nothing outside the specifications is read."""
import json
import os
import re
import sys
import tempfile

import vl_convert

POINTS_OF_A_PIXEL = 72 / 96
PIXELS_OF_AN_INCH = 192  # of PNG
LEAST_PANEL, LEAST_STEP = 30, 15  # pixels
TRIES = 4


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


def drawn(specification):
    return vl_convert.vega_to_svg(vl_convert.vegalite_to_vega(specification, show_warnings=True), allowed_base_urls=[])


def size_of(svg):
    return tuple(float(re.search(rf'<svg[^>]*? {side}="([0-9.]+)"', svg).group(1)) for side in ("width", "height"))


def widen(part, pixels, steps):
    """Makes all panels so many pixels wider. Returns whether one has changed."""
    changed = False
    if isinstance(part, list):
        return any([widen(each, pixels, steps) for each in part])
    if not isinstance(part, dict):
        return False
    width = part.get("spec", {}).get("width")
    if isinstance(width, dict):
        wanted = max(LEAST_STEP, width["step"] + pixels / steps)
        changed = wanted != width["step"]
        width["step"] = wanted
    elif width is not None:
        wanted = max(LEAST_PANEL, width + pixels)
        changed = wanted != width
        part["spec"]["width"] = wanted
    return any([changed] + [widen(part.get(key), pixels, steps) for key in ("vconcat",)])


def fitted(specification, width_px):
    """Returns the image with panels of the width that fills `width_px`: what is beside them is known once it is drawn."""
    svg = drawn(specification)
    whole = json.loads(specification)
    meta = whole.get("usermeta", {})
    for _ in range(TRIES):
        missing = width_px - size_of(svg)[0]
        if abs(missing) <= 1 or not widen(whole, missing / meta.get("side_by_side", 1), meta.get("steps", 1)):
            break
        svg = drawn(whole)
    return svg


def on_page(svg, width_px, unit):
    """Returns the image on a page that is exactly so wide, in units of a pixel: what is wider is made smaller."""
    width, height = size_of(svg)
    whole = max(width, width_px) if width_px else width
    scale = (width_px or width) / whole
    return re.sub(r"<svg[^>]*?>", lambda tag: re.sub(
        r'( width| height| viewBox)="[^"]*"', "", tag.group(0)).replace("<svg", (
            f'<svg width="{whole * scale * unit:.2f}" height="{height * scale * unit:.2f}" '
            f'viewBox="0 0 {whole:.2f} {height:.2f}"'), 1), svg, count=1)


def image_of(svg, kind, width_px):
    if kind == "svg":
        return (on_page(svg, width_px, 1) if width_px else svg).encode()
    in_points = on_page(svg, width_px, POINTS_OF_A_PIXEL)
    return vl_convert.svg_to_pdf(in_points) if kind == "pdf" else vl_convert.svg_to_png(in_points, ppi=PIXELS_OF_AN_INCH)


def main():
    wanted = json.load(sys.stdin)
    width_px = wanted["width_px"]
    warnings = []
    for figure in wanted["figures"]:
        draw = (lambda: fitted(figure["specification"], width_px)) if width_px else (lambda: drawn(figure["specification"]))
        try:
            svg, first = warned(draw)
            image, second = warned(lambda: image_of(svg, wanted["format"], width_px))
        except (OSError, ValueError) as error:
            sys.exit(f"{figure['name']}: " + " ".join(str(error).split())[:500])
        with open(figure["image"], "wb") as file:
            file.write(image)
        lines = {line: None for text in (first, second) for line in text.splitlines() if line}
        warnings += [f"{figure['name']}: {line}" for line in lines]
    print(json.dumps(warnings))


main()
