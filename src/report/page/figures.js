// SPDX-License-Identifier: Apache-2.0
// Offers each figure's data, specification and image as files, from what the page contains.
"use strict";
(() => {
  // Returns the rows of a figure's table as objects. An empty field of a column of numbers is an unknown number.
  function rowsOf(table) {
    const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const valueOf = (cell) => {
      if (!cell.classList.contains("n")) return cell.textContent;
      return cell.textContent === "" ? null : Number(cell.textContent);
    };
    const rows = [...table.tBodies[0].rows].map((row) =>
      Object.fromEntries([...row.cells].map((cell, index) => [columns[index], valueOf(cell)])));
    return {columns, rows};
  }

  const files = {
    "CSV": (name, figure) => {
      const {columns, rows} = rowsOf(figure.querySelector("table"));
      return [`${name}.csv`, "text/csv", saving.csv([columns, ...rows.map((row) => columns.map((column) => row[column]))])];
    },
    "Specification": (name, figure) => {
      const {places} = numbers.data.specifications[name].datasets;
      const placesOf = (index) => Object.fromEntries(places.columns.map((column, i) => [column, places.rows[index][i]])
        .filter(([, value]) => value !== null));
      const rows = rowsOf(figure.querySelector("table")).rows.map((row, index) => ({...row, ...placesOf(index)}));
      const whole = {...numbers.data.specifications[name], datasets: {rows}};
      return [`${name}.vl.json`, "application/json", JSON.stringify(whole, null, 1)];
    },
    "SVG": (name, figure) => {
      const bytes = Uint8Array.from(atob(figure.querySelector("img").src.split(",")[1]), (each) => each.charCodeAt(0));
      return [`${name}.svg`, "image/svg+xml", new TextDecoder().decode(bytes)];
    },
  };

  for (const figure of document.querySelectorAll("figure[data-name]")) {
    const {name} = figure.dataset;
    const title = figure.querySelector("h3").textContent;
    const isWhole = numbers.data.specifications[name] !== undefined;
    const line = document.createElement("p");
    for (const [kind, make] of Object.entries(files)) {
      if (kind === "SVG" ? figure.querySelector("img") === null : !isWhole) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "save";
      button.textContent = `Save ${kind}`;
      button.setAttribute("aria-label", `Save ${kind} of ${title}`);
      button.addEventListener("click", () => saving.save(...make(name, figure)));
      line.append(button, " ");
    }
    if (line.children.length > 0) figure.append(line);
  }
})();
