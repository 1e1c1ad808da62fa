// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen. The link's part after "#?" holds it, so that it can be kept, sent and gone back from.
"use strict";
const choices = (() => {
  const {data, cells, canBeRelated, valueOf} = numbers;
  const unique = (of) => [...new Set(cells.map(of))];
  const byNumber = (a, b) => Number(a) - Number(b);
  const dimensions = [
    {name: "device", heading: "Device", options: unique((cell) => cell.device)},
    {name: "compiler", heading: "Compiler", options: unique((cell) => cell.compiler)},
    {name: "group", heading: "Group", options: unique((cell) => cell.group).filter((group) => group !== "")},
    {name: "model", heading: "Model", options: unique((cell) => cell.model)},
    {name: "batch", heading: "Batch size", options: unique((cell) => cell.batch).sort(byNumber)},
  ];
  const isMeasured = (cell) => cell.status === "measured" || cell.status === "partial";
  const hasSpeedUps = cells.some((cell) => valueOf(cell, "speed_up_ratio").value !== undefined);
  const defaults = {metric: data.metric, to: !canBeRelated(data.metric) ? "value" : hasSpeedUps ? "study" : "best"};
  const metrics = data.metrics.map((metric) => metric.name);
  const compilers = dimensions[1].options;

  let state = {...defaults, chosen: new Map(), unknown: []};

  function isValidReference(to) {
    return ["value", "study", "best"].includes(to) || (to.startsWith("compiler:") && compilers.includes(to.slice(9)));
  }

  function read() {
    if (location.hash !== "" && !location.hash.startsWith("#?")) return;  // a link to a place in the page
    const words = new URLSearchParams(location.hash.slice(2));
    const next = {...defaults, chosen: new Map(), unknown: []};
    for (const {name, options} of dimensions) {
      if (!words.has(name)) continue;
      const asked = words.getAll(name).filter((word) => word !== "");
      next.unknown.push(...asked.filter((word) => !options.includes(word)).map((word) => `${name} ${word}`));
      next.chosen.set(name, new Set(asked.filter((word) => options.includes(word))));
    }
    for (const [name, isKnown] of [["metric", (word) => metrics.includes(word)], ["to", isValidReference]]) {
      if (!words.has(name)) continue;
      if (isKnown(words.get(name))) next[name] = words.get(name);
      else next.unknown.push(`${name} ${words.get(name)}`);
    }
    if (!canBeRelated(next.metric)) next.to = "value";
    state = next;
  }

  function write(next) {
    const words = new URLSearchParams();
    if (next.metric !== defaults.metric) words.set("metric", next.metric);
    if (next.to !== defaults.to) words.set("to", next.to);
    for (const [name, chosen] of next.chosen) {
      if (chosen.size === 0) words.append(name, "");
      for (const word of chosen) words.append(name, word);
    }
    location.hash = "?" + words.toString();
  }

  const isChosen = (name, option) => !state.chosen.has(name) || state.chosen.get(name).has(option);
  const passes = (cell, without) =>
    dimensions.every(({name}) => name === without || isChosen(name, cell[name]));

  function toggle(name, option) {
    const {options} = dimensions.find((dimension) => dimension.name === name);
    const chosen = new Set(state.chosen.get(name) ?? options);
    if (!chosen.delete(option)) chosen.add(option);
    choose(name, chosen.size === options.length ? null : options.filter((each) => chosen.has(each)));
  }

  // `wanted`: the chosen options; null: all.
  function choose(name, wanted) {
    const chosen = new Map(state.chosen);
    if (wanted === null) chosen.delete(name);
    else chosen.set(name, new Set(wanted));
    write({...state, chosen});
  }

  function set(name, value) {
    const next = {...state, [name]: value};
    if (name === "metric" && canBeRelated(value) && !canBeRelated(state.metric)) next.to = hasSpeedUps ? "study" : "best";
    write(next);
  }

  return {
    dimensions, read, toggle, choose, set, isChosen, state: () => state,
    selected: () => cells.filter((cell) => passes(cell)),
    hasData: (name, option) => cells.some((cell) => cell[name] === option && isMeasured(cell) && passes(cell, name)),
  };
})();
