// SPDX-License-Identifier: Apache-2.0
// Shows each state that the server sends. All texts are untrusted: they become text nodes.
"use strict";
const byId = (id) => document.getElementById(id);
const element = (tag, text, className) => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};
const duration = (seconds) => {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole % 3600 / 60)).padStart(2, "0")} min`;
};
const row = (cells) => {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
};
const heading = (text) => {
  const made = element("th", text);
  made.scope = "row";
  return made;
};
// A screen reader hears a sentence only when it says something new.
const announce = (text) => { if (byId("now").textContent !== text) byId("now").textContent = text; };

function showDevices(state) {
  byId("devices").replaceChildren(...state.devices.map((device) =>
    row([heading(device.name), element("td", device.progress, `state ${device.progress}`), element("td", device.doing)])));
}

function speedUpInWords(speedUp) {
  const digits = (ratio) => ratio.toPrecision(3);
  const interval = speedUp.low === null ? "" : ` [${digits(speedUp.low)}, ${digits(speedUp.high)}]`;
  return `${digits(speedUp.ratio)}${interval} ${speedUp.verdict}`.trim();
}

// Returns the cells by workload, in the order of the study, those with a speed before those that have none yet.
function workloadsOf(cells, fleet) {
  const works = new Map();
  for (const cell of cells) {
    const name = `${fleet ? `${cell.device}: ` : ""}${cell.model} batch ${cell.batch}${cell.load ? `, load ${cell.load}` : ""}`;
    if (!works.has(name)) works.set(name, new Map());
    works.get(name).set(cell.compiler, cell);
  }
  const isKnown = (work) => [...work.values()].some((cell) => cell.samples_per_s !== null);
  const all = [...works];
  return [...all.filter(([, work]) => isKnown(work)), ...all.filter(([, work]) => !isKnown(work))];
}

function cellField(cell, isFastest) {
  if (cell === undefined) return element("td", "–", "planned");
  const field = element("td", "", isFastest ? "n fastest" : "n");
  if (cell.samples_per_s !== null) field.append(`${Number(cell.samples_per_s.toPrecision(4)).toLocaleString("en")} /s`);
  if (cell.speed_up !== null) field.append(element("small", speedUpInWords(cell.speed_up), `state ${cell.speed_up.verdict}`));
  const done = `${cell.processes_done} of ${cell.processes_done + cell.processes_left}`;
  const progress = cell.failure ? `${cell.progress}: ${cell.failure}` : cell.progress;
  field.append(element("small", cell.progress === "planned" ? progress : `${progress}, ${done}`, `state ${cell.progress}`));
  return field;
}

function showCells(state) {
  const compilers = [...new Set(state.cells.map((cell) => cell.compiler))];
  byId("compilers").replaceChildren(...["Model and batch", ...compilers].map((text, index) => {
    const made = element("th", text, index > 0 ? "n" : "");
    made.scope = "col";
    return made;
  }));
  byId("rows").replaceChildren(...workloadsOf(state.cells, state.devices.length > 1).map(([name, work]) => {
    const best = Math.max(...[...work.values()].map((cell) => cell.samples_per_s ?? 0));
    return row([heading(name), ...compilers.map((compiler) =>
      cellField(work.get(compiler), best > 0 && work.get(compiler)?.samples_per_s === best))]);
  }));
  const left = state.cells_total - state.cells.length;
  byId("left-out").textContent = left > 0 ? `${state.cells.length} of ${state.cells_total} cells: those that changed last.` : "";
}

function show(state) {
  document.title = `${state.study} – NGraphBench`;
  byId("study").textContent = state.study;
  byId("progress").max = Math.max(state.processes_total, 1);
  byId("progress").value = state.processes_done;
  const parts = Object.entries(state.counts).filter(([, count]) => count > 0).map(([word, count]) => `${count} ${word}`);
  byId("numbers").textContent = `Cells: ${parts.join(", ") || "not known yet"}. Running for ${duration(state.elapsed_s)}` +
    (state.left_s === null ? "." : `, about ${duration(state.left_s)} left.`);
  if (!state.has_ended) announce(`${state.processes_done} of ${state.processes_total} processes are done.`);
  showDevices(state);
  showCells(state);
  byId("lines").replaceChildren(...state.lines.map((line) => element("li", line)));
}

const events = new EventSource(`/events${location.search}`);
events.addEventListener("state", (event) => show(JSON.parse(event.data)));
events.addEventListener("end", (event) => {
  events.close();
  const state = JSON.parse(event.data);
  show(state);
  announce(`${state.ending}${state.report ? ` The report is at ${state.report}.` : ""}`);
  if (state.report) location.replace(`/report${location.search}`);
});
events.addEventListener("error", () => announce("The connection to ngb is lost. If the run has ended, its report is in the results folder."));
