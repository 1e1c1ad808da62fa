// SPDX-License-Identifier: Apache-2.0
// Says what a word of ours means where the page has it first.
"use strict";
(() => {
  const MOST_TEXTS = 4000;  // a large page has its words at the beginning
  const meanings = new Map(Object.entries({
    "cells?": "one compiler with its options on one model at one batch size on one device",
    "workloads?": "a model at one batch size, whose cells are compared",
    "(not )?told": "told: shown by an interval; not told: more rounds might show it",
    "(un)?decided": "decided: more rounds would hardly change which is faster; undecided: they might",
    "identity": "PyTorch in eager mode, which compiles nothing; speed-ups refer to it",
    "agreement": "how outputs of a cheaper variant, such as int8, compare with those of the exact model",
    "RTR": "throughput at this batch size over that at batch 1",
    "ASE": "RTR over the batch size: 1 is perfect scaling",
    "BSR": "ASE over the baseline's ASE",
    "alone": "while no other process has a turn",
  }).map(([word, meaning]) => [new RegExp(`\\b${word}\\b`), meaning]));
  const isProse = (text) => text.parentElement.closest("a, abbr, button, code, script, style, summary, svg") === null;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (text) => isProse(text) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT);
  for (let left = MOST_TEXTS; left > 0 && texts.nextNode() !== null; --left) {
    const [word, meaning] = [...meanings].find(([each]) => each.test(texts.currentNode.data)) ?? [];
    if (word === undefined) continue;
    const explained = document.createElement("abbr");
    explained.title = meaning;
    const {index, 0: found} = word.exec(texts.currentNode.data);
    const rest = texts.currentNode.splitText(index);
    texts.currentNode = rest.splitText(found.length);
    rest.replaceWith(explained);
    explained.append(rest);
    meanings.delete(word);
  }
})();
