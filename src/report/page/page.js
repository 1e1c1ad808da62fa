// SPDX-License-Identifier: Apache-2.0
// Shows what the reader chooses: buttons, a chart and a table of models × compilers, and the rows of the table of all
// cells. Opens the part of the page that a link names.
"use strict";
(() => {
  const {data, numberOf, flagsOf, ranksOf, domainOf, hasInterval, isLowerBetter, canBeRelated, workloadOf, valueOf} = numbers;
  const MOST_MARKS = 120;  // of the chart
  const MOST_ROWS = 400;   // of the table
  const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down"];
  const find = (id) => document.getElementById(id);

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  // Returns a sentence as nodes, with what it has between backticks as code.
  const prose = (sentence) => sentence.split(/`([^`]*)`/).map((part, index) => (index % 2 === 0 ? part : element("code", {}, part)));

  const looks = new Map(data.compilers.map((compiler, index) => {
    const [colour, shape] = data.looks[index];
    return [compiler, {colour, shape: SHAPES[shape]}];
  }));

  const metricOf = (name) => data.metrics.find((metric) => metric.name === name);
  const metricTitle = (metric) => {
    const unit = ["ratio", "1", "samples/s"].includes(metric.unit) ? "" : `, ${metric.unit}`;
    return `${metric.name === "throughput_per_s" ? "throughput, samples/s" : metric.heading + unit} (${metric.name})`;
  };

  function referenceWords(to) {
    if (to === "study") return `the study's baseline, ${data.baseline}`;
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

  const cellOf = (work, compiler) => work.cells.find((each) => each.compiler === compiler);
  const isPlanned = (work, compiler) => cellOf(work, compiler).status === "planned";

  function nameOf({model, batch, device}) {
    const name = data.batches.length > 1 ? `${model}, batch ${batch}` : model;
    return data.devices.length > 1 ? `${name}, on ${device}` : name;
  }

  // Returns the chart's rows, a line for each chosen cell with its number or why it has none, and the middle of each
  // workload's lines.
  function linesOf(works, width) {
    const rows = [];
    const middles = [];
    let line = 0;
    for (const work of works) {
      const first = line;
      for (const [compiler, number] of work.numbers) {
        if (isPlanned(work, compiler)) continue;
        rows.push({line: line++, compiler, value: number.value > 0 ? number.value : null, low: number.low, high: number.high,
                   says: `${compiler}, ${nameOf(work.first)}: ${number.text ?? number.why}${flagsOf(number) && ` ⚑ ${flagsOf(number)}`}`});
      }
      const name = drawing.linesOfWords(nameOf(work.first), width / 20);
      if (line > first) line = Math.max(line, first + name.length);
      if (line > first) middles.push([(first + line - 1) / 2, name]);
      if (line > first) line += 0.7;
    }
    return {rows, middles, end: line - 0.7};
  }

  function chartOf({rows, middles, end}, compilers, width) {
    const {metric, to} = choices.state();
    const title = to === "value" ? metricTitle(metricOf(metric)) : `${metricOf(metric).heading}, ratio to ${referenceWords(to)}`;
    const scale = {type: "log", domain: domainOf(rows, to !== "value"), nice: false};
    const range = (look) => ({domain: compilers, range: compilers.map((compiler) => looks.get(compiler)[look])});
    const widest = 45 + 6.5 * Math.max(...compilers.map((compiler) => compiler.length));
    const colour = {field: "compiler", type: "nominal", title: null, scale: range("colour"),
                    legend: {columns: Math.max(1, Math.floor(width * 0.75 / widest)), orient: "top", labelLimit: width - 60}};
    const known = [{filter: "isValid(datum.value)"}];
    const x = (field) => ({field, type: "quantitative", title: drawing.linesOfWords(`${title} (log axis)`, width / 10), scale, axis: {tickCount: 6, format: "~r"}});
    return {
      data: {name: "rows"}, width, height: 13 * (end + 1), autosize: {type: "fit-x", contains: "padding"},
      encoding: {
        y: {field: "line", type: "quantitative", title: null, scale: {domain: [end, -1], nice: false, zero: false},
            axis: {grid: false, ticks: false, domain: false, labelPadding: 8, labelLimit: width / 3, labelOverlap: false, tickCount: middles.length, values: middles.map(([at]) => at),
                   labelExpr: `(${JSON.stringify(Object.fromEntries(middles))})[datum.value]`}},
      },
      layer: [
        ...(to === "value" ? [] : [{data: {values: [{}]}, mark: {type: "rule", style: "one"}, encoding: {x: {datum: 1, type: "quantitative", scale}, y: null}}]),
        {transform: [...known, {filter: "isValid(datum.low) && isValid(datum.high)"}], mark: {type: "rule", style: "interval", clip: true},
         encoding: {x: x("low"), x2: {field: "high"}, color: colour}},
        {transform: known, mark: {type: "point", size: 62}, encoding: {x: x("value"), color: colour, shape: {...colour, scale: range("shape")}, tooltip: {field: "says"}}},
        {transform: [{filter: "!isValid(datum.value)"}], mark: {type: "point", style: "lost"}, encoding: {x: {value: 0}, color: colour, tooltip: {field: "says"}}},
      ],
    };
  }

  function showChart(works) {
    const box = find("chart");
    const compilers = chosenCompilers(works);
    const shown = works.slice(0, Math.max(4, Math.floor(MOST_MARKS / Math.max(1, compilers.length))));
    const lines = linesOf(shown, box.clientWidth);
    if (lines.rows.length === 0) {
      box.replaceChildren(element("p", {}, "No number in this selection."));
      return;
    }
    drawing.draw(box, chartOf(lines, compilers, box.clientWidth), lines.rows, "Models and compilers; the table below has the numbers.");
    if (shown.length < works.length) {
      box.append(element("p", {}, `${works.length - shown.length} more are not drawn: choose fewer, or see the table.`));
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
      return element("td", {class: "why", title: number.why}, ...prose(short));
    }
    const [main, interval] = number.text.split(/(?= [[±])/);
    const rank = work.ranks.get(cell);
    const field = element("td", {class: heatOf(number)});
    if (rank !== undefined) {
      field.append(element("span", {class: rank === 1 ? "rank first" : "rank", title: `rank ${rank} of ${work.cells.length}`},
                           `${rank}.`), " ");
    }
    field.append(main, element("small", {}, interval ?? ""));
    const flags = flagsOf(number);
    if (flags !== "") field.append(" ", element("span", {class: "flag", role: "img", title: flags, "aria-label": `flags: ${flags}`}, "⚑"));
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

  let rows = [];
  let mostCells = 1000;  // rows that a browser lays out at once without a wait
  const moreCells = element("p", {hidden: true}, element("button", {type: "button", class: "save"}));
  moreCells.firstChild.addEventListener("click", () => {
    mostCells = Infinity;
    showRows();
  });
  unpacking.eachPart((part) => {
    rows = [...rows, ...part.querySelectorAll("tr[data-cell]")];
    part.querySelector(".cells")?.parentElement.after(moreCells);
    if (part !== document) showRows();
  });
  function showRows() {
    const chosen = new Set(choices.selected().map((cell) => cell.index));
    let shown = 0;
    for (const row of rows) row.hidden = !chosen.has(Number(row.dataset.cell)) || ++shown > mostCells;
    moreCells.hidden = shown <= mostCells;
    moreCells.firstChild.textContent = `Show all ${shown} rows, not only ${mostCells}`;
    for (const body of document.querySelectorAll(".cells tbody")) {
      body.hidden = body.querySelector("tr[data-cell]:not([hidden])") === null;
    }
  }

  function showStatus(works) {
    const {unknown} = choices.state();
    const cells = choices.selected();
    const without = cells.filter((cell) => cell.why !== "").length;
    let words = `${cells.length} of ${numbers.cells.length} cells chosen, ${works.length} workload${works.length === 1 ? "" : "s"}`;
    if (without > 0) words += `; ${without} have no number (the reason is in their place)`;
    if (unknown.length > 0) words += `. The link asks for what these results do not have: ${unknown.join(", ")}`;
    find("status").textContent = words + ".";
  }

  function download() {
    const {metric, to} = choices.state();
    const relation = to === "value" ? "value" : `ratio to ${referenceWords(to)}`;
    const lines = [["device", "model", "batch", "compiler", "status", "flags", metric, "low", "high", relation, "low", "high",
                    "flags of the reference", "why"]];
    for (const work of workloads()) {
      for (const cell of work.cells) {
        const [own, shown] = [valueOf(cell, metric), work.numbers.get(cell.compiler)];
        lines.push([cell.device, cell.model, Number(cell.batch), cell.compiler, cell.status, cell.flags.join(" "), own.value,
                    own.low, own.high, shown.value, shown.low, shown.high, (shown.flagsOfOver ?? []).join(" "), own.why ?? shown.why]);
      }
    }
    saving.save("selection.csv", "text/csv", saving.csv(lines));
  }

  // The table is made when it is seen.
  function draw() {
    const works = workloads();
    showChart(works);
    if (find("as-table").open) showMatrix(works);
    return works;
  }

  function show() {
    choices.read();
    showChoices();
    showStatus(draw());
    showRows();
  }

  // Opens what a link leads to: a section, or a place within one.
  function openTarget() {
    const target = location.hash.startsWith("#?") ? find("choose") : find(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    for (const part of [target, ...target.querySelectorAll(":scope > details:only-child")]) {
      for (let each = part; each !== null; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    }
    if (!location.hash.startsWith("#?")) target.scrollIntoView();
  }

  window.addEventListener("hashchange", openTarget);
  openTarget();
  if (find("results") === null) return;  // profiles have no speed to choose from
  find("results").hidden = false;
  makeChoices();
  show();
  find("as-table").addEventListener("toggle", () => showMatrix(workloads()));
  find("download").addEventListener("click", download);
  window.addEventListener("hashchange", show);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    draw();
  });
})();
