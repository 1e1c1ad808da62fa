// SPDX-License-Identifier: Apache-2.0
// Shows what the reader chooses: buttons, overview, curves, matrix, and the rows of the table of all cells.
"use strict";
(() => {
  const {data, numberOf, ranksOf, geometricMean, hasInterval, isLowerBetter, canBeRelated, workloadOf, valueOf} = numbers;
  const MOST_PANELS = 24;
  const MOST_ROWS = 400;
  const find = (id) => document.getElementById(id);

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  const looks = new Map(data.compilers.map((compiler, index) => {
    const [colour, shape] = data.looks[index];
    return [compiler, {colour: `c${colour}`, shape}];
  }));

  const metricOf = (name) => data.metrics.find((metric) => metric.name === name);
  const metricTitle = (metric) => {
    const unit = ["ratio", "1", "samples/s"].includes(metric.unit) ? "" : `, ${metric.unit}`;
    return `${metric.name === "throughput_per_s" ? "throughput, samples/s" : metric.heading + unit} (${metric.name})`;
  };

  function referenceWords(to) {
    if (to === "study") return `the study's baseline (${data.baseline})`;
    if (to === "best") return "the best of the selection";
    return to.replace(/^compiler:/, "");
  }

  function makeChoices() {
    const box = find("choices");
    for (const {name, heading, options} of choices.dimensions) {
      const group = element("fieldset", {"data-dimension": name, hidden: options.length < 2}, element("legend", {}, heading));
      for (const option of options) {
        const button = element("button", {type: "button", "data-option": option}, option);
        button.addEventListener("click", () => choices.toggle(name, option));
        group.append(button);
      }
      for (const [word, wanted] of [["all", null], ["none", []]]) {
        const button = element("button", {type: "button", class: "all", "aria-label": `${word}: ${heading}`}, word);
        button.addEventListener("click", () => choices.choose(name, wanted));
        group.append(button);
      }
      box.append(group);
    }
    const metrics = data.metrics.map((metric) => [metric.name, metricTitle(metric)]);
    const references = [["study", `ratio to ${referenceWords("study")}`], ["best", `ratio to ${referenceWords("best")}`],
                        ["value", "no ratio: the value itself"],
                        ...data.compilers.map((compiler) => [`compiler:${compiler}`, `ratio to ${compiler}`])];
    for (const [name, heading, options] of [["metric", "Metric", metrics], ["to", "Shown as", references]]) {
      const select = element("select", {id: `choose-${name}`, "aria-label": heading});
      for (const [value, words] of options) select.append(element("option", {value}, words));
      select.addEventListener("change", () => choices.set(name, select.value));
      box.append(element("fieldset", {}, element("legend", {}, heading), select));
    }
  }

  function showChoices() {
    for (const group of document.querySelectorAll("[data-dimension]")) {
      for (const button of group.querySelectorAll("[data-option]")) {
        const [name, option] = [group.dataset.dimension, button.dataset.option];
        button.setAttribute("aria-pressed", String(choices.isChosen(name, option)));
        const hasData = choices.hasData(name, option);
        button.classList.toggle("empty", !hasData);
        button.title = hasData ? "" : "no data with the other choices";
      }
    }
    const {metric, to} = choices.state();
    find("choose-metric").value = metric;
    find("choose-to").value = to;
    find("choose-to").disabled = !canBeRelated(metric);
  }

  // Returns the chosen cells by workload, with the numbers to show: [{cells, numbers, ranks}].
  function workloads() {
    const {metric, to} = choices.state();
    const groups = new Map();
    for (const cell of choices.selected()) {
      const key = workloadOf(cell);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(cell);
    }
    return [...groups.values()].map((cells) => ({
      cells, first: cells[0], ranks: ranksOf(cells, metric),
      numbers: new Map(cells.map((cell) => [cell.compiler, numberOf(cell, cells, metric, to)])),
    }));
  }

  const chosenCompilers = (works) => data.compilers.filter((compiler) => works.some((work) => work.numbers.has(compiler)));
  const isKnown = (number) => number !== undefined && number.value > 0;

  function overviewRows(works) {
    const compared = chosenCompilers(works).filter((compiler) => works.some((work) => isKnown(work.numbers.get(compiler))));
    const common = works.filter((work) => compared.every((compiler) => isKnown(work.numbers.get(compiler))));
    const rows = common.length === 0 ? [] : compared.map((compiler) => {
      const mean = geometricMean(common.map((work) => work.numbers.get(compiler)));
      return {name: compiler, colour: looks.get(compiler).colour, ...mean};
    });
    const sign = isLowerBetter(choices.state().metric) ? 1 : -1;
    return {rows: rows.sort((a, b) => sign * (a.value - b.value)), compared, common};
  }

  function showOverview(works) {
    const box = find("overview");
    const {to, metric} = choices.state();
    box.replaceChildren();
    if (to === "value") {
      box.append(element("p", {}, "Values of different workloads have no common mean: choose a ratio above."));
      return;
    }
    const {rows, compared, common} = overviewRows(works);
    const better = isLowerBetter(metric) ? "lower is better" : "higher is better";
    const absent = chosenCompilers(works).filter((compiler) => !compared.includes(compiler));
    const words = rows.length > 0
      ? `Geometric mean over the ${common.length} of ${works.length} workloads for which all of these have a number; ${better}.`
      : compared.length === 0 ? "No number in this selection."
      : "No workload has a number for all chosen compilers: leave out the one with the fewest.";
    box.append(element("p", {}, words));
    if (rows.length > 0) {
      const label = `${words} ${rows.map((row) => `${row.name} ${row.text}`).join("; ")}`;
      box.append(charts.bars(rows, Math.min(860, Math.max(300, box.clientWidth)), label));
    }
    if (absent.length > 0) box.append(element("p", {class: "bad"}, `Without any number here: ${absent.join(", ")}.`));
  }

  const cellOf = (work, compiler) => work.cells.find((each) => each.compiler === compiler);
  const isPlanned = (work, compiler) => cellOf(work, compiler).status === "planned";

  function seriesOf(compilers, works) {
    return compilers.map((compiler) => ({
      name: compiler, ...looks.get(compiler),
      points: works.filter((work) => work.numbers.has(compiler) && !isPlanned(work, compiler)).map((work) => {
        const number = work.numbers.get(compiler);
        return {batch: work.first.batch, ...number, text: number.text ?? number.why};
      }),
    })).filter((series) => series.points.length > 0);
  }

  function showCurves(works) {
    const box = find("curves");
    const compilers = chosenCompilers(works);
    const {to, metric} = choices.state();
    const panels = new Map();
    for (const work of works) {
      const key = JSON.stringify([work.first.device, work.first.model]);
      if (!panels.has(key)) panels.set(key, []);
      panels.get(key).push(work);
    }
    const legend = element("ul", {class: "legend"});
    for (const compiler of compilers) {
      legend.append(element("li", {}, charts.key(looks.get(compiler).shape, looks.get(compiler).colour), " ", compiler));
    }
    const grid = element("div", {class: "panels"});
    box.replaceChildren(legend, grid);
    const width = Math.max(280, Math.min(400, box.clientWidth));
    const all = [...panels.values()];
    for (const panel of all.slice(0, MOST_PANELS)) {
      const {model, device} = panel[0].first;
      const title = data.devices.length > 1 ? `${model}, on ${device}` : model;
      const batches = [...new Set(panel.map((work) => work.first.batch))].sort((a, b) => Number(a) - Number(b));
      const label = `${metricTitle(metricOf(metric))} of ${title} by batch size; the table below has the numbers`;
      const chart = charts.curves(seriesOf(compilers, panel), batches, width, to !== "value", label);
      grid.append(element("figure", {}, element("figcaption", {}, title), chart));
    }
    if (all.length > MOST_PANELS) {
      box.append(element("p", {}, `${all.length - MOST_PANELS} more are not drawn: choose fewer models or devices.`));
    }
  }

  // Returns the class of a background: how far the ratio is from 1, and only where its interval leaves 1 out.
  function heatOf(number) {
    const {to, metric} = choices.state();
    if (to === "value" || !hasInterval(number) || (number.low <= 1 && number.high >= 1)) return "h3";
    const gain = Math.log2(number.value) * (isLowerBetter(metric) ? -1 : 1);
    const size = Math.abs(gain) >= 1 ? 2 : Math.abs(gain) >= 0.32 ? 1 : 0;
    return gain > 0 ? `h${2 - size}` : `h${4 + size}`;
  }

  function matrixCell(work, compiler) {
    const number = work.numbers.get(compiler);
    if (number === undefined) return element("td", {class: "none", title: "not part of these results"}, "–");
    const cell = cellOf(work, compiler);
    if (isPlanned(work, compiler)) return element("td", {class: "none"}, cell.why);
    if (number.value === undefined) {
      const short = number.why.length > 40 ? number.why.slice(0, 39) + "…" : number.why;
      return element("td", {class: "why", title: number.why}, short);
    }
    const [main, interval] = number.text.split(/(?= [[±])/);
    const rank = work.ranks.get(cell);
    const field = element("td", {class: heatOf(number)});
    if (rank !== undefined) {
      field.append(element("span", {class: rank === 1 ? "rank first" : "rank", title: `rank ${rank} of ${work.cells.length}`},
                           `${rank}.`), " ");
    }
    field.append(main, element("small", {}, interval ?? ""));
    if (cell.flags.length > 0) {
      field.append(" ", element("span", {class: "flag", role: "img", title: cell.flags.join(", "),
                                         "aria-label": `flags: ${cell.flags.join(", ")}`}, "⚑"));
    }
    return field;
  }

  function showMatrix(works) {
    const compilers = chosenCompilers(works);
    const head = element("tr", {}, element("th", {scope: "col"}, "model"), element("th", {scope: "col"}, "batch"));
    if (data.devices.length > 1) head.append(element("th", {scope: "col"}, "device"));
    for (const compiler of compilers) head.append(element("th", {scope: "col", class: "n"}, compiler));
    const body = element("tbody");
    for (const work of works.slice(0, MOST_ROWS)) {
      const {model, batch, device} = work.first;
      const row = element("tr", {}, element("th", {scope: "row"}, model), element("td", {}, batch));
      if (data.devices.length > 1) row.append(element("td", {}, device));
      row.append(...compilers.map((compiler) => matrixCell(work, compiler)));
      body.append(row);
    }
    const {to, metric} = choices.state();
    const caption = to === "value" ? metricTitle(metricOf(metric)) : `${metricTitle(metricOf(metric))}, ratio to ${referenceWords(to)}`;
    const table = element("table", {class: "matrix"}, element("caption", {}, caption), element("thead", {}, head), body);
    const notes = works.some((work) => work.ranks.size > 0)
      ? "The number before each value is its rank; compilers share a rank unless an interval tells them apart; first in speed are all that may be the fastest. " +
        "A colour means that the interval leaves 1 out: blue is better than the reference, orange is worse."
      : "No value here has an interval, so none has a rank.";
    find("matrix").replaceChildren(element("div", {class: "wide", tabindex: 0, role: "region", "aria-label": caption}, table),
                                   element("p", {}, notes));
    if (to !== "value" && !data.has_ratios) {
      find("matrix").append(element("p", {}, "So many cells have no intervals of ratios here: ngb compare has them."));
    }
    if (works.length > MOST_ROWS) find("matrix").append(element("p", {}, `${works.length - MOST_ROWS} more rows: choose fewer.`));
  }

  const rows = [...document.querySelectorAll("tr[data-cell]")];
  function showRows() {
    const chosen = new Set(choices.selected().map((cell) => cell.index));
    for (const row of rows) row.hidden = !chosen.has(Number(row.dataset.cell));
    for (const body of document.querySelectorAll(".cells tbody")) {
      body.hidden = body.querySelector("tr[data-cell]:not([hidden])") === null;
    }
  }

  function showStatus(works) {
    const {unknown} = choices.state();
    const cells = choices.selected();
    const without = cells.filter((cell) => cell.why !== "").length;
    let words = `${cells.length} of ${numbers.cells.length} cells chosen, ${works.length} workloads`;
    if (without > 0) words += `; ${without} have no number (the reason is in their place)`;
    if (unknown.length > 0) words += `. The link asks for what these results do not have: ${unknown.join(", ")}`;
    find("status").textContent = words + ".";
  }

  function download() {
    const {metric, to} = choices.state();
    const relation = to === "value" ? "value" : `ratio to ${referenceWords(to)}`;
    const lines = [["device", "model", "batch", "compiler", "status", "flags", metric, "low", "high", relation, "low", "high", "why"]];
    for (const work of workloads()) {
      for (const cell of work.cells) {
        const [own, shown] = [valueOf(cell, metric), work.numbers.get(cell.compiler)];
        lines.push([cell.device, cell.model, Number(cell.batch), cell.compiler, cell.status, cell.flags.join(" "), own.value,
                    own.low, own.high, shown.value, shown.low, shown.high, own.why ?? shown.why]);
      }
    }
    saving.save("selection.csv", "text/csv", saving.csv(lines));
  }

  function draw() {
    const works = workloads();
    showOverview(works);
    showCurves(works);
    showMatrix(works);
    return works;
  }

  function show() {
    choices.read();
    showChoices();
    showStatus(draw());
    showRows();
  }

  find("results").hidden = false;
  makeChoices();
  show();
  find("download").addEventListener("click", download);
  window.addEventListener("hashchange", show);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    draw();
  });
})();
