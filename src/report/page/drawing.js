// SPDX-License-Identifier: Apache-2.0
// Draws Vega-Lite with the engine that the page contains. Its expressions are interpreted, because the page's policy
// forbids code made of texts. All names go in as data.
"use strict";
const drawing = (() => {
  const FONT = "DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif";  // wide, as the reader's may be

  // The engine is run when the first figure is drawn; the page's policy knows its hash.
  let running = null;
  async function run() {
    const script = document.createElement("script");
    script.textContent = await unpacking.textOf(document.getElementById("engine"));
    document.head.append(script);
    return window.vegaEmbed;
  }
  const engine = () => (running ??= run());

  // Returns the specification as it is drawn in the page, which has its title as text.
  function onPage(specification, rows) {
    const config = {...numbers.data.config, ...specification.config, background: "transparent", font: FONT, padding: 2, aria: false};
    const {title, usermeta, description, ...whole} = specification;
    return {...whole, config, datasets: {rows}};
  }

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);

  // Shows what a mark stands for beside the pointer: its known values.
  function showTip(handler, event, item, value) {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const lines = typeof value !== "object" ? [String(value)] : Object.entries(value)
      .filter(([name, each]) => each !== null && each !== "" && !/^(panel|column|at|low_at|high_at|shared_low|shared_high)$/.test(name))
      .map(([name, each]) => `${name}: ${each}`);
    tip.textContent = lines.join("\n");
    const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    const top = event.clientY + 14 + tip.offsetHeight < window.innerHeight ? event.clientY + 14 : event.clientY - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }

  // Draws into the box and returns the view. `words` says to those who do not see it what it shows.
  async function draw(box, specification, rows, words) {
    const place = document.createElement("div");
    box.replaceChildren(place);
    const embed = await engine();
    const {view} = await embed(place, onPage(specification, rows),
                                  {mode: "vega-lite", ast: true, renderer: "svg", actions: false, defaultStyle: false, tooltip: showTip, logLevel: 1});
    const svg = place.querySelector("svg");
    for (const part of svg.querySelectorAll("[role]")) {  // the picture is one thing, which has a name
      part.removeAttribute("role");
      part.removeAttribute("aria-roledescription");
    }
    svg.setAttribute("role", "img");
    svg.removeAttribute("aria-hidden");
    svg.setAttribute("aria-label", words);
    return view;
  }

  // Returns the text in lines of at most so many letters, or of one word.
  function linesOfWords(text, most) {
    return text.split(" ").reduce((lines, word) => {
      const longer = `${lines.at(-1)} ${word}`.trim();
      return longer.length <= most ? [...lines.slice(0, -1), longer] : [...lines, word];
    }, [""]).filter((line) => line !== "");
  }

  return {draw, linesOfWords};
})();
