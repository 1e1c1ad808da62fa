// SPDX-License-Identifier: Apache-2.0
// Shows beside each measured cell what to type to get its number in a program of one's own. The program itself is made
// by ngb, because only the compiler's library can write what it compiles.
"use strict";
(() => {
  const made = (name, text, attributes = {}) => Object.assign(document.createElement(name), {textContent: text, ...attributes});

  const commandsFor = (id) =>
    `ngb export RESULTS ${id} --form snippet\nngb export RESULTS ${id} -o program\nngb export --verify program`;

  // A page from a file may have no clipboard; then the reader copies what is selected.
  function copy(shown, button) {
    getSelection().selectAllChildren(shown);
    const done = () => { button.textContent = "copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(shown.textContent).then(done, () => {});
    else if (document.execCommand("copy")) done();
  }

  function show(row) {
    const dialog = made("dialog", "", {className: "use"});
    const shown = made("pre", commandsFor(row.dataset.id));
    const copies = made("button", "copy", {type: "button"});
    const closes = made("button", "close", {type: "button"});
    copies.addEventListener("click", () => copy(shown, copies));
    closes.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    dialog.append(made("p", `${row.firstElementChild.firstChild.textContent} in your own program. RESULTS is the folder of these ` +
                            "results. The first line prints the session and its call; the second writes a program with the " +
                            "model, its inputs and what it must return; the third holds it against ngb."),
                  shown, copies, closes);
    document.body.append(dialog);
    dialog.showModal();
  }

  unpacking.eachPart((part) => {
    for (const row of part.querySelectorAll("tr[data-id]")) {
      const button = made("button", "use it", {type: "button", className: "use"});
      button.addEventListener("click", () => show(row));
      row.firstElementChild.append(" ", button);
    }
  });
})();
