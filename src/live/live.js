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
  if (speedUp === null) return "–";
  const digits = (ratio) => ratio.toPrecision(3);
  const interval = speedUp.low === null ? "" : ` [${digits(speedUp.low)}, ${digits(speedUp.high)}]`;
  return `${digits(speedUp.ratio)}${interval} ${speedUp.verdict}`.trim();
}

function showCells(state) {
  const fleet = state.devices.length > 1;
  byId("rows").replaceChildren(...state.cells.map((cell) => {
    const where = fleet ? `${cell.device}: ` : "";
    const load = cell.load ? `, load ${cell.load}` : "";
    const progress = element("td", cell.failure ? `${cell.progress}: ${cell.failure}` : cell.progress, `state ${cell.progress}`);
    const speed = cell.samples_per_s === null ? "–" : Number(cell.samples_per_s.toPrecision(4)).toLocaleString("en");
    const what = heading(`${where}${cell.model} batch ${cell.batch}${load}`);
    what.append(element("small", cell.compiler, "narrow-only"));
    const rate = element("td", speed, "n");
    const speedUp = speedUpInWords(cell.speed_up);
    const verdict = cell.speed_up?.verdict ?? "";
    if (cell.speed_up !== null) rate.append(element("small", speedUp, `narrow-only ${verdict}`));
    return row([what, element("td", cell.compiler, "wide-only"), progress,
      element("td", `${cell.processes_done} of ${cell.processes_done + cell.processes_left}`, "n"), rate,
      element("td", speedUp, `state wide-only ${verdict}`)]);
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
