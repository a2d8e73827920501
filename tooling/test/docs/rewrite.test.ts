import { expect, test } from "vitest";

import { rewrite, type Sources } from "../../src/docs/rewrite.ts";

const sources: Sources = {
  snippet: (path, region) => `// ${path} ${region ?? "whole"}`,
  generated: (what) => `generated ${what}`,
};

const ticks = "```";

test("the block after a snippet's marker is replaced by the snippet", async () => {
  const before = `Text.\n\n<!-- snippet: a/b.ts#c -->\n\n${ticks}ts\nold\nold\n${ticks}\n\nMore.\n`;
  const { text, problems } = await rewrite(before, sources);
  expect(text).toBe(before.replace("old\nold", "// a/b.ts c"));
  expect(problems).toEqual([]);
});

test("a marker without a block gets one", async () => {
  const { text } = await rewrite("<!-- snippet: a.json -->\n\nMore.", sources);
  expect(text).toBe(`<!-- snippet: a.json -->\n\n${ticks}json\n// a.json whole\n${ticks}\n\nMore.`);
});

test("replaces the text between the generated markers", async () => {
  const { text } = await rewrite("<!-- generated: x -->\nold\n<!-- /generated -->\nMore.", sources);
  expect(text).toBe("<!-- generated: x -->\n\ngenerated x\n\n<!-- /generated -->\nMore.");
});

test("writes the same document the second time", async () => {
  const before = `<!-- snippet: a.ts -->\n${ticks}ts\n${ticks}\n<!-- generated: x -->\n<!-- /generated -->`;
  const { text } = await rewrite(before, sources);
  expect((await rewrite(text, sources)).text).toBe(text);
});

test("a snippet that contains a fence gets a longer fence", async () => {
  const snippet = () => `${ticks}sh\nls\n${ticks}`;
  const { text } = await rewrite("<!-- snippet: a.md -->", { ...sources, snippet });
  expect(text.split("\n")).toEqual([
    "<!-- snippet: a.md -->",
    "",
    "````md",
    `${ticks}sh`,
    "ls",
    ticks,
    "````",
  ]);
  expect((await rewrite(text, { ...sources, snippet })).text).toBe(text);
});

test("markers inside a block of code are text", async () => {
  const before = `${ticks}md\n<!-- snippet: a.ts -->\n${ticks}\n`;
  expect(await rewrite(before, sources)).toEqual({ text: before, problems: [] });
});

test("TypeScript without a marker is a problem", async () => {
  const { problems } = await rewrite(`\n${ticks}ts\nlet a;\n${ticks}\n`, sources);
  expect(problems).toEqual(["line 2: code without a snippet marker is not compiled"]);
});

test("a source that fails is a problem, and leaves the document as it is", async () => {
  const before = `<!-- snippet: a.ts#none -->\n\n${ticks}ts\nold\n${ticks}\n`;
  const snippet = () => {
    throw new Error("There is no region none.");
  };
  const { text, problems } = await rewrite(before, { ...sources, snippet });
  expect(text).toBe(before);
  expect(problems[0]).toBe("line 1: There is no region none.");
});

test("a generated block without an end is a problem", async () => {
  const { text, problems } = await rewrite("<!-- generated: x -->\nMore.", sources);
  expect(text).toBe("<!-- generated: x -->\nMore.");
  expect(problems).toEqual(["line 1: There is no <!-- /generated --> after it."]);
});
