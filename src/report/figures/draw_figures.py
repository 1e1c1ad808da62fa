# SPDX-License-Identifier: Apache-2.0
"""Draws Vega-Lite specifications as images with vl-convert. Standard input is JSON: {"format": "svg", "png" or "pdf",
"width_px" and "height_px": of all images, and of the highest, at 96 pixels an inch, or 0: as they come, "figures": [{"name",
"specification", "image": path}]}. The answer is {"sheets": [how many files each figure takes: "image.pdf", then "image-2.pdf", …],
"warnings": [what Vega-Lite warned about: "compile_time: …"]}. Nothing outside the specifications is read."""
import copy
import functools
import json
import math
import os
import re
import sys
import tempfile

import vl_convert

POINTS_OF_A_PIXEL = 72 / 96
PIXELS_OF_AN_INCH = 192  # of PNG
LEAST_PANEL, LEAST_STEP = 30, 21  # pixels; the latter holds "1.00"
TRIES = 4
# The words of an SVG are drawn in the first of these fonts that its reader has. Verdana is as wide as the first, Arial as the third.
WIDE_FONTS = "DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif"


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


@functools.lru_cache(maxsize=8)  # a part that was tried is often the first sheet
def drawn_text(specification):
    return vl_convert.vega_to_svg(vl_convert.vegalite_to_vega(specification, show_warnings=True), allowed_base_urls=[])


def drawn(specification):
    return drawn_text(json.dumps(specification))


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


def height_of(svg, width_px):
    """Returns how high the image is once it is as wide as its page."""
    width, height = size_of(svg)
    return height * min(1, width_px / width)


def fitted(whole, width_px, height_px=0):
    """Returns the figure with panels of the width that fills `width_px`, and its image: what is beside them is known once it
    is drawn. A figure that is higher than `height_px` is widened but not drawn again, since its parts will be."""
    svg = drawn(whole)
    whole = copy.deepcopy(whole)
    meta = whole.get("usermeta", {})
    for _ in range(TRIES if width_px else 0):
        missing = width_px - size_of(svg)[0]
        if abs(missing) <= 1 or not widen(whole, missing / meta.get("side_by_side", 1), meta.get("steps", 1)):
            break
        if height_px and height_of(svg, width_px) > height_px:
            break
        svg = drawn(whole)
    return whole, svg


def lines_of(whole):
    """Returns what the lines of a figure are, the highest first: [(field, how many of its values are in a line)]."""
    first = whole.get("vconcat", [whole])[0]
    lines = [(first["transform"][0]["filter"]["field"], 1)] if "vconcat" in whole else []
    facet = first["facet"]
    lines.append((facet["row"]["field"], 1) if "row" in facet else (facet["field"], first.get("columns", 1)))
    names = {layer["encoding"]["y"]["field"]: 1 for layer in first["spec"]["layer"]
             if (layer.get("encoding", {}).get("y") or {}).get("type") in ("nominal", "ordinal")}
    return lines + list(names.items())


def part_of(whole, field, values):
    """Returns the figure of the rows that have one of these values."""
    rows = [row for row in whole["datasets"]["rows"] if row.get(field) in values]
    part = {**whole, "datasets": {"rows": rows}}
    if "vconcat" in whole:
        wanted = [(view, view["transform"][0]["filter"]) for view in whole["vconcat"]]
        views = [view for view, each in wanted if any(row.get(each["field"]) == each["equal"] for row in rows)]
        # The names of columns are above the first one only.
        part["vconcat"] = [{**views[0], "facet": whole["vconcat"][0]["facet"]}, *views[1:]]
    return part


def parts_of(whole, field, values, most):
    """Returns the figure in parts that have at most so many of the values each."""
    return [part_of(whole, field, values[begin:begin + most]) for begin in range(0, len(values), most)]


def sheets_of(whole, width_px, height_px):
    """Returns the figure's image; if it were higher than a sheet, one for each sheet, with whole lines of panels."""
    whole, svg = fitted(whole, width_px, height_px)  # the parts' panels are almost as wide
    height = height_of(svg, width_px) if height_px else 0
    if height <= height_px:
        return [svg]
    for field, side_by_side in lines_of(whole):
        values = list(dict.fromkeys(row[field] for row in whole["datasets"]["rows"] if row.get(field) is not None))
        lines = math.ceil(len(values) / side_by_side)
        if lines == 1:
            continue
        most = min(lines - 1, int(lines * height_px / height) + 1)
        parts = parts_of(whole, field, values, most * side_by_side)
        while most > 1 and height_of(fitted(parts[0], width_px, height_px)[1], width_px) > height_px:
            most -= 1
            parts = parts_of(whole, field, values, most * side_by_side)
        return [sheet for part in parts for sheet in sheets_of(part, width_px, height_px)]
    return [fitted(whole, width_px)[1]]


def on_page(svg, width_px, unit):
    """Returns the image on a page that is exactly so wide, in units of a pixel: what is wider is made smaller."""
    width, height = size_of(svg)
    whole = max(width, width_px) if width_px else width
    scale = (width_px or width) / whole
    return re.sub(r"<svg[^>]*?>", lambda tag: re.sub(
        r'( width| height| viewBox)="[^"]*"', "", tag.group(0)).replace("<svg", (
            f'<svg width="{whole * scale * unit:.2f}" height="{height * scale * unit:.2f}" '
            f'viewBox="0 0 {whole:.2f} {height:.2f}"'), 1), svg, count=1)


def in_fonts(specification, fonts):
    return {**specification, "config": {**specification.get("config", {}), "font": fonts}}


def measures_wide_fonts():
    """Returns whether this machine has a wide font, by which an SVG leaves room for its readers' words."""
    words = {"data": {"values": [{}]}, "mark": "tick", "encoding": {"y": {"datum": "words", "type": "nominal"}}}
    narrow, wide = (size_of(drawn(in_fonts(words, fonts)))[0] for fonts in ("Liberation Sans", WIDE_FONTS))
    return wide > narrow


def image_of(svg, kind, width_px):
    if kind == "svg":
        return (on_page(svg, width_px, 1) if width_px else svg).encode()
    in_points = on_page(svg, width_px, POINTS_OF_A_PIXEL)
    return vl_convert.svg_to_pdf(in_points) if kind == "pdf" else vl_convert.svg_to_png(in_points, ppi=PIXELS_OF_AN_INCH)


def main():
    wanted = json.load(sys.stdin)
    width_px = wanted["width_px"]
    is_wide = wanted["format"] == "svg" and measures_wide_fonts()
    counts, warnings = [], []
    for figure in wanted["figures"]:
        try:
            specification = json.loads(figure["specification"])
            whole = in_fonts(specification, WIDE_FONTS) if is_wide else specification
            sheets, first = warned(lambda: sheets_of(whole, width_px, wanted["height_px"]))
            images, second = warned(lambda: [image_of(svg, wanted["format"], width_px) for svg in sheets])
        except (OSError, ValueError) as error:
            sys.exit(f"{figure['name']}: " + " ".join(str(error).split())[:500])
        root, ending = os.path.splitext(figure["image"])
        for number, image in enumerate(images, 1):
            with open(figure["image"] if number == 1 else f"{root}-{number}{ending}", "wb") as file:
                file.write(image)
        counts.append(len(images))
        lines = {line: None for text in (first, second) for line in text.splitlines() if line}
        warnings += [f"{figure['name']}: {line}" for line in lines]
    print(json.dumps({"sheets": counts, "warnings": warnings}))


main()
