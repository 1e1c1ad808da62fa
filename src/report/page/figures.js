// SPDX-License-Identifier: Apache-2.0
// Draws each figure when it comes into view, and offers its data, specification and image as files, from what the page
// contains.
"use strict";
(() => {
  const {data} = numbers;

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

  // Returns rows that were packed: [] is the value of the row above.
  function unpacked({columns, rows}) {
    const last = [];
    return rows.map((row) => Object.fromEntries(row.map((value, index) => {
      if (!Array.isArray(value)) last[index] = value;
      return [columns[index], last[index]];
    })));
  }

  const hasAllRows = (name) => data.specifications[name].datasets.places !== undefined;

  // Returns the rows that the page draws.
  function drawnRows(name, figure) {
    const {places, drawn} = data.specifications[name].datasets;
    if (drawn !== undefined) return unpacked(drawn);
    const known = unpacked(places).map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)));
    return rowsOf(figure.querySelector("table")).rows.map((row, index) => ({...row, ...known[index]}));
  }

  const views = new Map();
  function draw(figure) {
    const {name} = figure.dataset;
    if (views.has(name)) return;
    const title = figure.querySelector("h3").textContent;
    views.set(name, drawing.draw(figure.querySelector(".drawing"), data.specifications[name], drawnRows(name, figure),
                                 `${title}. The data below are what it shows.`));
  }

  const files = {
    "CSV": (name, figure) => {
      const {columns, rows} = rowsOf(figure.querySelector("table"));
      return [`${name}.csv`, "text/csv", saving.csv([columns, ...rows.map((row) => columns.map((column) => row[column]))])];
    },
    "Specification": (name, figure) => {
      const whole = {...data.specifications[name], datasets: {rows: drawnRows(name, figure)}};
      return [`${name}.vl.json`, "application/json", JSON.stringify({config: data.config, ...whole}, null, 1)];
    },
    "SVG": async (name, figure) => {
      draw(figure);
      return [`${name}.svg`, "image/svg+xml", await (await views.get(name)).toSVG()];
    },
  };

  const seen = new IntersectionObserver((entries) => {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      draw(target);
    }
  }, {rootMargin: "400px"});

  function offer(figure) {
    const {name} = figure.dataset;
    const title = figure.querySelector("h3").textContent;
    const line = document.createElement("p");
    for (const [kind, make] of Object.entries(files)) {
      if (kind !== "SVG" && !hasAllRows(name)) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "save";
      button.textContent = `Save ${kind}`;
      button.setAttribute("aria-label", `Save ${kind} of ${title}`);
      button.addEventListener("click", async () => saving.save(...await make(name, figure)));
      line.append(button, " ");
    }
    figure.append(line);
    seen.observe(figure);
  }
  unpacking.eachPart((part) => part.querySelectorAll("figure[data-name]").forEach(offer));
  window.addEventListener("beforeprint", () => {
    for (const figure of document.querySelectorAll("figure[data-name]")) {
      if (figure.checkVisibility()) draw(figure);
    }
  });
})();
