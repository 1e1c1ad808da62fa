// SPDX-License-Identifier: Apache-2.0
// Shows what the reader chooses of the table: machines, models, batch sizes, settings, compilers, versions and what is
// shown of each. The choice is part of the link.
"use strict";
(() => {
  const table = document.getElementById("numbers");
  if (table === null) return;
  const MOST_ROWS = 300;  // of more, the first machine is chosen
  const compilers = [...table.tHead.rows[0].cells].slice(1).map((head) => head.textContent);
  const rows = [...table.tBodies].flatMap((body) => [...body.rows].slice(1).map((row) => ({
    row, machine: body.rows[0].textContent, ...row.dataset,
  })));
  const chosen = new URLSearchParams(location.hash.slice(1));
  const without = new Set(chosen.getAll("without"));
  const box = document.getElementById("choices");

  function made(name, attributes, ...children) {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...children);
    return element;
  }

  function select(name, heading, options) {
    const list = made("select", {ariaLabel: heading}, ...options.map(([value, words]) => made("option", {value}, words)));
    list.value = chosen.get(name) ?? options[0][0];
    if (list.value === "") list.value = options[0][0];
    list.addEventListener("change", () => { chosen.set(name, list.value); show(); });
    box.append(made("fieldset", {hidden: options.length < 2}, made("legend", {}, heading), list));
  }

  for (const name of ["machine", "model", "batch", "setting"]) {
    const values = [...new Set(rows.map((row) => row[name]))];
    if (name === "machine" && rows.length > MOST_ROWS && !chosen.has(name)) chosen.set(name, values[0]);
    select(name, name, [...(values.length > 1 ? [["", "all"]] : []), ...values.map((value) => [value, value])]);
  }
  const buttons = compilers.map((compiler) => {
    const button = made("button", {type: "button"}, compiler);
    button.addEventListener("click", () => {
      if (!without.delete(compiler)) without.add(compiler);
      show();
    });
    return button;
  });
  box.append(made("fieldset", {}, made("legend", {}, "compiler"), ...buttons));
  select("shown", "shown", [["both", "speed-up and time"], ["relative", "speed-up"], ["absolute", "time"]]);
  if (table.querySelector(".older") !== null) select("versions", "versions", [["newest", "the newest"], ["every", "every one"]]);

  function show() {
    const isWanted = (row) => ["machine", "model", "batch", "setting"].every((name) => (chosen.get(name) || row[name]) === row[name]);
    const used = new Set();
    let count = 0;
    for (const each of rows) {
      each.row.hidden = !isWanted(each);
      if (each.row.hidden) continue;
      ++count;
      compilers.forEach((_, index) => { if (each.row.cells[index + 1].childElementCount > 0) used.add(index); });
    }
    for (const body of table.tBodies) body.hidden = [...body.rows].slice(1).every((row) => row.hidden);
    const lines = [table.tHead.rows[0], ...rows.filter(({row}) => !row.hidden).map(({row}) => row)];
    compilers.forEach((compiler, index) => {
      buttons[index].ariaPressed = String(!without.has(compiler));
      const isHidden = without.has(compiler) || !used.has(index);
      for (const line of lines) line.cells[index + 1].hidden = isHidden;
    });
    table.classList.toggle("relative", chosen.get("shown") === "relative");
    table.classList.toggle("absolute", chosen.get("shown") === "absolute");
    table.classList.toggle("newest", chosen.get("versions") !== "every");
    document.getElementById("status").textContent = `${count} of ${rows.length} workloads`;
    chosen.delete("without");
    for (const compiler of without) chosen.append("without", compiler);
    if ([...chosen].length > 0) history.replaceState(null, "", `#${chosen}`);
  }
  show();
})();
