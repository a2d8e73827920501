import { expect, test } from "vitest";

import { searchIndex } from "../src/search-index.ts";

const documents = [
  { id: "lyon", title: "Lyon", text: "Rhône France" },
  { id: "france", title: "France", text: "Lyon Paris Lille Lyon" },
  { id: "paris", title: "Paris", text: "Île-de-France France" },
  { id: "texas", title: "Paris (Texas)", text: "Texas" },
];
const search = searchIndex(documents);

test("a word in the title counts for more than the same in the text", () => {
  expect(search("Lyon")).toEqual(["lyon", "france"]);
});

test("more words of the query found make a better hit", () => {
  expect(search("paris texas")[0]).toBe("texas");
});

test("a word that is spelt right does not find its neighbours, a misspelt one does", () => {
  expect(search("lille")).toEqual(["france"]);
  expect(search("lile")).toContain("france");
  expect(search("lyo")).toContain("lyon");
  expect(search("capital of lyonn")[0]).toBe("lyon");
});

test("case and diacritics do not matter, and words that are everywhere find nothing", () => {
  expect(search("RHONE")).toEqual(["lyon"]);
  expect(search("what is the")).toEqual([]);
});

/** BM25+ with k1 = 1.2, b = 0.7, δ = 0.5, for a word that occurs once in a field of the title. */
function bm25Plus(matching: number, length: number, lengths: readonly number[]): number {
  const average = lengths.reduce((sum, each) => sum + each) / lengths.length;
  const rarity = Math.log(1 + (lengths.length - matching + 0.5) / (matching + 0.5));
  return rarity * (0.5 + (1 * 2.2) / (1 + 1.2 * (0.3 + (0.7 * length) / average)));
}

test("the order is that of BM25+: shorter documents and rarer words first", () => {
  const titles = ["red", "red blue", "red blue green", "green"];
  const ranked = searchIndex(titles.map((title, at) => ({ id: String(at), title, text: "" })));
  const lengths = [1, 2, 3, 1];
  const byFormula = (matching: readonly number[]): string[] =>
    matching
      .toSorted((a, b) => bm25Plus(3, lengths[b]!, lengths) - bm25Plus(3, lengths[a]!, lengths))
      .map(String);
  expect(ranked("red")).toEqual(byFormula([2, 0, 1]));
  expect(ranked("green")).toEqual(byFormula([2, 3]));
});
