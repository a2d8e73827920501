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

test("a whole file comes without its markers", () => {
  expect(snippetOf(source)).toBe('import { a } from "a";\n\nconst b = {\n  c: 1,\n\n  d: a,\n};');
});

test("a region comes without what is around it, moved to the left", () => {
  expect(snippetOf(source, "inner")).toBe("c: 1,\n\nd: a,");
});

test("a region holds the regions inside it", () => {
  expect(snippetOf(source, "outer")).toBe("const b = {\n  c: 1,\n\n  d: a,\n};");
});

test("a region that is not there is refused", () => {
  expect(() => snippetOf(source, "none")).toThrow("There is no region none.");
});

test("a region without an end is refused", () => {
  expect(() => snippetOf("// #region a\nb", "a")).toThrow("The region a has no end.");
});
