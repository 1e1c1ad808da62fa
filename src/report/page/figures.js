// SPDX-License-Identifier: Apache-2.0
// Draws each figure when it comes into view, and offers its data, specification and image as files, from what the page
// contains.
"use strict";
(() => {
  let known = null;
  const specifications = () => (known ??= unpacking.textOf(document.getElementById("specifications")).then(JSON.parse));

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

  // Returns the rows that the page draws.
  async function drawnRows(name, figure) {
    const {places, drawn} = (await specifications())[name].datasets;
    if (drawn !== undefined) return unpacked(drawn);
    const marks = unpacked(places).map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)));
    return rowsOf(figure.querySelector("table")).rows.map((row, index) => ({...row, ...marks[index]}));
  }

  // Fills the table of a figure of which the page lacks rows with those that are drawn.
  async function fill(figure) {
    const [columns, body] = [rowsOf(figure.querySelector("table")).columns, figure.querySelector("tbody")];
    for (const row of await drawnRows(figure.dataset.name, figure)) {
      const line = body.insertRow();
      for (const column of columns) {
        const field = line.insertCell();
        field.textContent = row[column] ?? "";
        field.classList.toggle("n", typeof row[column] !== "string");
      }
    }
  }

  // Returns the specification with panels and names of axes that leave something of both on a narrow screen, and a legend of one
  // column.
  function fitting(specification, width) {
    if (width > 600) return specification;
    const narrow = JSON.parse(JSON.stringify(specification), (key, value) => {
      if (key === "width" && typeof value === "number") return Math.min(value, width * 0.55);
      if (key === "title" && value?.length > width / 10) return drawing.linesOfWords(value, width / 10);
      return key === "axis" && value?.labelLimit > 0 ? {...value, labelLimit: width * 0.4} : value;
    });
    const legend = {...numbers.data.config.legend, ...narrow.config?.legend, columns: 1, labelLimit: width - 60};
    return {...narrow, config: {...narrow.config, legend}};
  }

  async function drawNow(name, figure) {
    const box = figure.querySelector(".drawing");
    const rows = await drawnRows(name, figure);
    return drawing.draw(box, fitting((await specifications())[name], box.clientWidth), rows,
                        `${figure.querySelector("h3").textContent}. The data below are what it shows.`);
  }

  const views = new Map();
  function draw(figure) {
    const {name} = figure.dataset;
    if (!views.has(name)) views.set(name, drawNow(name, figure));
    return views.get(name);
  }

  const files = {
    "CSV": (name, figure) => {
      const {columns, rows} = rowsOf(figure.querySelector("table"));
      return [`${name}.csv`, "text/csv", saving.csv([columns, ...rows.map((row) => columns.map((column) => row[column]))])];
    },
    "Specification": async (name, figure) => {
      const whole = {...(await specifications())[name], datasets: {rows: await drawnRows(name, figure)}};
      return [`${name}.vl.json`, "application/json", JSON.stringify({config: numbers.data.config, ...whole}, null, 1)];
    },
    "SVG": async (name, figure) => [`${name}.svg`, "image/svg+xml", await (await draw(figure)).toSVG()],
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
    const part = figure.querySelector(".drawn-rows");
    part?.addEventListener("toggle", () => fill(figure), {once: true});
    const line = document.createElement("p");
    for (const [kind, make] of Object.entries(files)) {
      if (kind !== "SVG" && part !== null) continue;
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
