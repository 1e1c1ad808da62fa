// SPDX-License-Identifier: Apache-2.0
// Unpacks what the page has compressed, when it is wanted: the engine and large parts.
"use strict";
const unpacking = (() => {
  // Returns the text that an element has compressed.
  async function textOf(element) {
    const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }

  // Calls `use` with the document, and again with each part that is unpacked later.
  const users = [];
  function eachPart(use) {
    users.push(use);
    use(document);
  }

  async function unpack(part) {
    const script = part.querySelector(":scope > .packed");
    if (script === null) return;
    script.className = "";
    const html = await textOf(script);
    script.outerHTML = html;
    for (const use of users) use(part);
  }
  for (const script of document.querySelectorAll(".packed")) {
    script.parentElement.addEventListener("toggle", (event) => unpack(event.currentTarget));
  }

  return {textOf, eachPart};
})();
