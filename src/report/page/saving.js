// SPDX-License-Identifier: Apache-2.0
// Saves texts as files, and writes CSV. Nothing leaves the page.
"use strict";
const saving = (() => {
  // A spreadsheet would compute a text that begins like a formula.
  function csvField(value) {
    const text = String(value ?? "");
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  const csv = (lines) => lines.map((line) => line.map(csvField).join(",") + "\r\n").join("");

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  return {csv, save};
})();
