// SPDX-License-Identifier: Apache-2.0
// Draws SVG figures. All text goes in as text nodes, so that no name can become markup.
"use strict";
const charts = (() => {
  const NAMESPACE = "http://www.w3.org/2000/svg";

  function node(name, attributes, children = []) {
    const made = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    for (const child of children) made.append(child);
    return made;
  }

  const titled = (element, title) => {
    element.prepend(node("title", {}, [title]));
    return element;
  };

  // Returns a mark of one of five shapes, about 9 pixels wide.
  function mark(shape, x, y, colour, title) {
    const at = (points) => points.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" ");
    const name = `mark ${colour}`;
    const shapes = [
      () => node("circle", {cx: x, cy: y, r: 4.4, class: name}),
      () => node("rect", {x: x - 4, y: y - 4, width: 8, height: 8, class: name}),
      () => node("polygon", {points: at([[0, -5.2], [5, 4], [-5, 4]]), class: name}),
      () => node("polygon", {points: at([[0, -5.6], [5.2, 0], [0, 5.6], [-5.2, 0]]), class: name}),
      () => node("polygon", {points: at([[-5, -4], [5, -4], [0, 5.2]]), class: name}),
    ];
    const made = shapes[shape % shapes.length]();
    return title ? titled(made, title) : made;
  }

  function cross(x, y, colour, title) {
    const path = `M${x - 4},${y - 4}l8,8m0,-8l-8,8`;
    return titled(node("path", {d: path, class: `span ${colour}`}), title);
  }

  // Returns round numbers from low to high: 1, 2 or 5 times a power of ten, or evenly spaced ones in a small range.
  function ticks(low, high) {
    const all = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
      for (const digit of [1, 2, 5]) all.push(Number(`${digit}e${power}`));
    }
    const inside = all.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (inside.length > 7) return inside.filter((tick) => Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6));
    if (inside.length >= 3) return inside;
    const power = 10 ** Math.floor(Math.log10((high - low) / 4));
    const step = power * [1, 2, 5, 10].find((digit) => (high - low) / (power * digit) <= 5);
    const even = [];
    for (let index = Math.ceil(low / step - 1e-9); index * step <= high * 1.000001; ++index) even.push(index * step);
    return even;
  }

  // A logarithmic scale from values to pixels.
  function scale(values, from, to) {
    const known = values.filter((value) => value > 0 && Number.isFinite(value));
    let low = Math.min(...known);
    let high = Math.max(...known);
    if (high / low < 1.5) [low, high] = [low / 1.25, high * 1.25];
    const of = (value) => from + (to - from) * Math.log(value / low) / Math.log(high / low);
    return {of, ticks: ticks(low, high), low, high};
  }

  const shown = (value) => (value >= 1e5 || value < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(3))));

  // Bars from 1 on a logarithmic axis. rows: [{name, text, value, low, high, colour}].
  function bars(rows, width, label) {
    const rowHeight = 40;
    const right = 12;
    const x = scale([1, ...rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value])], 12, width - right - 24);
    const height = rows.length * rowHeight + 30;
    const svg = node("svg", {width, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label});
    for (const tick of x.ticks) {
      const at = x.of(tick);
      svg.append(node("line", {x1: at, x2: at, y1: 0, y2: height - 20, class: "axis"}),
                 node("text", {x: at, y: height - 6, "text-anchor": "middle"}, [shown(tick)]));
    }
    svg.append(node("line", {x1: x.of(1), x2: x.of(1), y1: 0, y2: height - 20, class: "one"}));
    rows.forEach((row, index) => {
      const top = index * rowHeight + 20;
      const [from, to] = [x.of(1), x.of(row.value)];
      const bar = node("rect", {x: Math.min(from, to), y: top, width: Math.max(1.5, Math.abs(to - from)), height: 13, rx: 2,
                                class: `bar ${row.colour}`});
      svg.append(titled(bar, `${row.name}: ${row.text}`));
      if (row.low !== undefined && row.low < row.high) {
        const [low, high] = [x.of(row.low), x.of(row.high)];
        svg.append(node("path", {d: `M${low},${top + 2}v9m0,-4.5H${high}m0,-4.5v9`, class: "whisker"}));
      }
      svg.append(node("text", {x: 12, y: top - 5, class: "name"}, [`${row.name}  ${row.text}`]));
    });
    return svg;
  }

  function frame(svg, y, size, positions, marksOne) {
    for (const tick of y.ticks) {
      const at = y.of(tick);
      svg.append(node("line", {x1: size.left, x2: size.width - 8, y1: at, y2: at, class: "axis"}),
                 node("text", {x: size.left - 5, y: at + 4, "text-anchor": "end"}, [shown(tick)]));
    }
    if (marksOne) {
      svg.append(node("line", {x1: size.left, x2: size.width - 8, y1: y.of(1), y2: y.of(1), class: "one"}));
    }
    for (const [batch, at] of positions) {
      svg.append(node("text", {x: at, y: size.height - 20, "text-anchor": "middle"}, [String(batch)]));
    }
    svg.append(node("text", {x: (size.left + size.width) / 2, y: size.height - 4, "text-anchor": "middle"}, ["batch size"]));
  }

  // A curve for each compiler over batch sizes, both axes logarithmic in effect: batch sizes are evenly spaced. series:
  // [{name, colour, shape, points: [{batch, value, low, high, text, why}]}]; a point without a value is drawn as a cross
  // at the lower edge.
  function curves(series, batches, width, marksOne, label) {
    const size = {width, height: 232, left: 44};
    const values = series.flatMap((each) => each.points.flatMap((point) => [point.value, point.low, point.high]));
    const known = values.filter((value) => value > 0);
    if (marksOne) known.push(1);
    if (known.length === 0) known.push(1);
    const y = scale(known, size.height - 58, 12);
    const step = (width - size.left - 8) / batches.length;
    const positions = new Map(batches.map((batch, index) => [batch, size.left + step * (index + 0.5)]));
    const svg = node("svg", {width, viewBox: `0 0 ${width} ${size.height}`, role: "img", "aria-label": label});
    frame(svg, y, size, positions, marksOne);
    const dodge = Math.min(9, (step * 0.7) / Math.max(1, series.length));
    series.forEach((each, index) => {
      const shift = (index - (series.length - 1) / 2) * dodge;
      const measured = each.points.filter((point) => point.value > 0);
      const at = (point) => positions.get(point.batch) + shift;
      const path = measured.map((point) => `${at(point)},${y.of(point.value)}`).join("L");
      if (measured.length > 1) svg.append(node("path", {d: "M" + path, class: `curve ${each.colour}`}));
      for (const point of each.points) {
        const title = `${each.name}, batch ${point.batch}: ${point.text}`;
        if (!(point.value > 0)) {
          svg.append(cross(at(point), size.height - 44, each.colour, title));
          continue;
        }
        if (point.low > 0 && point.low < point.high) {
          const d = `M${at(point) - 3},${y.of(point.low)}h6m-3,0V${y.of(point.high)}m-3,0h6`;
          svg.append(node("path", {d, class: `span ${each.colour}`}));
        }
        svg.append(mark(each.shape, at(point), y.of(point.value), each.colour, title));
      }
    });
    return svg;
  }

  function key(shape, colour) {
    return node("svg", {viewBox: "0 0 16 14", "aria-hidden": "true"}, [mark(shape, 8, 7, colour)]);
  }

  return {bars, curves, key};
})();
