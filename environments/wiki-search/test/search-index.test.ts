import { expect, test } from "vitest";

import { searchIndex } from "../src/search-index.ts";

const documents = [
  { id: "lyon", title: "Lyon", text: "Rhône France" },
  { id: "france", title: "France", text: "Lyon Paris Lille Lyon" },
  { id: "paris", title: "Paris", text: "Île-de-France France" },
  { id: "texas", title: "Paris (Texas)", text: "Texas" },
];
const search = searchIndex(documents);

test("ranks a match in the title above a match in the text", () => {
  expect(search("Lyon")).toEqual(["lyon", "france"]);
});

test("ranks documents that match more query words higher", () => {
  expect(search("paris texas")[0]).toBe("texas");
});

test("matches similar words only for a query word that no document has", () => {
  expect(search("lille")).toEqual(["france"]);
  expect(search("lile")).toContain("france");
  expect(search("lyo")).toContain("lyon");
  expect(search("capital of lyonn")[0]).toBe("lyon");
});

test("ignores case and diacritics, and does not match stop words", () => {
  expect(search("RHONE")).toEqual(["lyon"]);
  // prose-ignore: sample text
  expect(search("what is the")).toEqual([]);
});

/** BM25+ with k1 = 1.2, b = 0.7, δ = 0.5, for a word that occurs once in a field of the title. */
function bm25Plus(matching: number, length: number, lengths: readonly number[]): number {
  const average = lengths.reduce((sum, each) => sum + each) / lengths.length;
  const rarity = Math.log(1 + (lengths.length - matching + 0.5) / (matching + 0.5));
  return rarity * (0.5 + (1 * 2.2) / (1 + 1.2 * (0.3 + (0.7 * length) / average)));
}

test("ranks by BM25+: shorter documents and rarer words first", () => {
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
