import { expect, test } from "vitest";

import { snippetOf } from "../../src/docs/snippet.ts";

const source = `import { a } from "a";

// #region outer
const b = {
  // #region inner
  c: 1,

  d: a,
  // #endregion
};
// #endregion
`;

test("returns a whole file without its markers", () => {
  expect(snippetOf(source)).toBe('import { a } from "a";\n\nconst b = {\n  c: 1,\n\n  d: a,\n};');
});

test("returns a region alone, without its indent", () => {
  expect(snippetOf(source, "inner")).toBe("c: 1,\n\nd: a,");
});

test("a region contains its inner regions", () => {
  expect(snippetOf(source, "outer")).toBe("const b = {\n  c: 1,\n\n  d: a,\n};");
});

test("rejects a missing region", () => {
  expect(() => snippetOf(source, "none")).toThrow("There is no region none.");
});

test("rejects a region without an end", () => {
  expect(() => snippetOf("// #region a\nb", "a")).toThrow("The region a has no end.");
});
