// SPDX-License-Identifier: Apache-2.0
// Reads the page's data: numbers and ratios with their intervals, which ngb has computed. It draws nothing.
"use strict";
const numbers = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const unrolled = (runs) => runs.flatMap((run) => (Array.isArray(run) ? Array(run[1]).fill(run[0]) : [run]));
  const columns = Object.fromEntries(Object.entries(data.cells).map(([name, runs]) => [name, unrolled(runs)]));
  const cells = (columns.model ?? []).map((model, index) => ({
    index, device: data.devices[columns.device[index]], model: data.models[model], group: data.group_of[model],
    batch: String(data.batches[columns.batch[index]]), compiler: data.compilers[columns.compiler[index]],
    status: data.statuses[columns.status[index]], why: data.reasons[columns.why[index]] ?? "",
    baseline: columns.baseline[index], flags: data.flag_sets[columns.flags[index]],
    whyNoRatio: data.reasons[columns.why_no_ratio[index]] ?? "",
    ratios: new Map((data.ratios[index] ?? []).map(([other, ...ratio]) => [other, ratio])),
  }));
  const metricIndex = new Map(data.metrics.map((metric, index) => [metric.name, index]));

  // Returns the text of show: the form has what is around its numbers, and how these are written.
  function textOf([, text, scale, decimals], shown) {
    if (scale === undefined) return text;
    return shown.reduce((done, number) => done.replace("@", (number * scale).toFixed(decimals)), text);
  }

  // Returns of each cell {value, text, low, high}, without low and high if there is no interval, or {why}.
  function entriesOf({says, numbers: all}) {
    let next = 0;
    return unrolled(says).map((said, index) => {
      if (said < 0) return {why: cells[index].why || data.reasons[-1 - said]};
      const shown = all.slice(next, next += data.forms[said][0]);
      return {value: shown[0], text: textOf(data.forms[said], shown), low: shown[1], high: shown[2]};
    });
  }
  const entries = new Map();  // of the metrics that were asked for
  function valueOf(cell, metric) {
    if (!entries.has(metric)) entries.set(metric, entriesOf(data.values[metricIndex.get(metric)]));
    return {...entries.get(metric)[cell.index], flags: cell.flags};
  }

  // As many decimals as show that a ratio whose interval leaves 1 out is not 1, at most four.
  function digitsOf({value, low, high}) {
    const usual = Math.abs(value) < 9.995 ? 2 : 1;
    if (low === undefined || high === undefined || (low <= 1 && high >= 1)) return usual;
    const distance = Math.abs((low > 1 ? low : high) - 1);
    return distance >= 0.005 || distance < 0.00005 ? usual : distance < 0.0005 ? 4 : 3;
  }
  const hasInterval = (number) => number.low !== undefined && number.high !== undefined;

  function withText(number) {
    const digits = digitsOf(number);
    number.text = number.value.toFixed(digits);
    if (hasInterval(number) && number.low < number.high) {
      number.text += ` [${number.low.toFixed(digits)}, ${number.high.toFixed(digits)}]`;
    }
    return number;
  }

  // Returns the speed of a cell over that of another one of its workload, as `ngb compare` has it.
  function ratioOfSpeeds(cell, other) {
    const without = [cell, other].find((each) => each.whyNoRatio !== "");
    if (without !== undefined) return {why: `${without.compiler}: ${without.whyNoRatio}`};
    const [value, low, high] = cell.ratios.get(other.index);
    return withText({value, low, high});
  }

  // A quotient has no interval: only ratios of speeds have one.
  function quotient(a, b) {
    if (!(a.value > 0) || !(b.value > 0)) return {why: "a ratio needs two numbers above 0"};
    return withText({value: a.value / b.value});
  }

  const isLowerBetter = (metric) => {
    const {better, unit} = data.metrics[metricIndex.get(metric)];
    return better === null ? ["s", "bytes", "percent"].includes(unit) : better === "lower";
  };
  const canBeRelated = (metric) => ["samples/s", "s", "bytes", "percent"].includes(data.metrics[metricIndex.get(metric)].unit);
  const isBetter = (a, b, metric) => (isLowerBetter(metric) ? a < b : a > b);

  const workloadOf = (cell) => JSON.stringify([cell.device, cell.model, cell.batch]);
  const cellsOf = new Map();  // all cells of each workload
  for (const cell of cells) {
    if (!cellsOf.has(workloadOf(cell))) cellsOf.set(workloadOf(cell), []);
    cellsOf.get(workloadOf(cell)).push(cell);
  }

  function bestOf(selected, metric) {
    let best = null;
    for (const cell of selected) {
      const number = valueOf(cell, metric);
      if (number.value === undefined || (metric === "throughput_per_s" && cell.whyNoRatio !== "")) continue;
      if (best === null || isBetter(number.value, valueOf(best, metric).value, metric)) best = cell;
    }
    return best;
  }

  function referenceOf(cell, selected, metric, to) {
    if (to === "best") return bestOf(selected, metric);
    if (to === "study") return cell.baseline < 0 ? null : cells[cell.baseline];
    const name = to.replace(/^compiler:/, "");
    return cellsOf.get(workloadOf(cell)).find((each) => each.compiler === name) ?? null;
  }

  function ratioOf(cell, reference, metric, to) {
    if (to === "study" && metric === "throughput_per_s") return valueOf(cell, "speed_up_ratio");
    if (reference === null) return {why: "the reference was not measured for this model and batch size"};
    if (reference === cell) return {value: 1, low: 1, high: 1, text: "1.00"};
    const below = valueOf(reference, metric);
    if (below.value === undefined) return {why: `the reference has no number: ${below.why}`};
    return metric === "throughput_per_s" && data.has_ratios ? ratioOfSpeeds(cell, reference) : quotient(valueOf(cell, metric), below);
  }

  // Returns the cell's number as the reader wants it, with the flags of the cell and of what it is related to. `selected`: the
  // chosen cells of its workload.
  function numberOf(cell, selected, metric, to) {
    const own = valueOf(cell, metric);
    if (own.value === undefined || to === "value") return own;
    const reference = referenceOf(cell, selected, metric, to);
    const flagsOfOver = reference === null || reference === cell ? [] : reference.flags;
    return {...ratioOf(cell, reference, metric, to), flags: cell.flags, flagsOfOver};
  }

  // Returns "unstable; of the reference: spread": the flags of both sides; "" if there are none.
  function flagsOf({flags, flagsOfOver = []}) {
    return [flags.join(", "), flagsOfOver.length > 0 ? `of the reference: ${flagsOfOver.join(", ")}` : ""].filter((each) => each !== "").join("; ");
  }

  const mayBeFastest = new Set(data.may_be_fastest);

  // Returns the rank of each cell: one more than the number of cells that are certainly better, by the interval of the ratio of
  // two speeds, or because two intervals are apart. The first in speed are those that the answer does not exclude.
  function ranksOf(selected, metric) {
    const known = selected.map((cell) => ({cell, number: valueOf(cell, metric)})).filter((each) => hasInterval(each.number));
    const lower = isLowerBetter(metric);
    const isOfSpeed = metric === "throughput_per_s";
    const isApart = (a, b) => (isOfSpeed && data.has_ratios ? ratioOfSpeeds(a.cell, b.cell).low > 1
      : lower ? a.number.high < b.number.low : a.number.low > b.number.high);
    const isJudged = isOfSpeed && known.some((each) => mayBeFastest.has(each.cell.index));
    return new Map(known.map((each) => {
      const rank = 1 + known.filter((other) => other !== each && isApart(other, each)).length;
      return [each.cell, !isJudged ? rank : mayBeFastest.has(each.cell.index) ? 1 : Math.max(2, rank)];
    }));
  }

  // Returns the ends of the axis of a chart. It has what the points take and a little more. An interval that reaches beyond is cut there.
  function domainOf(rows, marksOne) {
    const values = rows.map((row) => row.value).filter((value) => value > 0);
    if (marksOne) values.push(1);
    const [low, high] = values.length === 0 ? [1, 2] : [Math.min(...values), Math.max(...values)];
    const more = Math.max(1.12, (high / low) ** 0.15);
    return [low / more, high * more];
  }

  return {data, cells, valueOf, numberOf, flagsOf, ranksOf, domainOf, hasInterval, isLowerBetter, canBeRelated, workloadOf};
})();
