import { expect, test } from "vitest";

import { lintProse } from "../../src/prose/lint.ts";
import pairs from "./pairs.json" with { type: "json" };

const sentences = pairs.map(([before = "", after = ""]) => ({ before, after }));

test.for(sentences)("reports “$before”", ({ before }) => {
  expect(lintProse("a.ts", `// ${before}`)).not.toEqual([]);
});

test.for(sentences)("accepts “$after”", ({ after }) => {
  expect(lintProse("a.ts", `// ${after}`)).toEqual([]);
  expect(lintProse("a.md", `- ${after}`)).toEqual([]);
});

test("reports the line, the phrase and advice", () => {
  const source = "const a = 1;\n/**\n * The first line,\n * of its\n * own.\n */\n";
  expect(lintProse("a.ts", source)).toEqual([
    { line: 4, phrase: "of its own", advice: expect.stringContaining("owner first") },
  ]);
});

test("joins line comments that follow each other", () => {
  expect(lintProse("a.ts", "// The server is\n// away.\n")).toHaveLength(1);
  expect(lintProse("a.sql", "-- The server is\n-- away.\n")).toHaveLength(1);
  expect(lintProse("a.py", "# The server is\n# away.\n")).toHaveLength(1);
});

test.for([
  ["a string", "a.ts", 'log("The server is away.");'],
  ["a template", "a.ts", "log(`${server} is away.`);"],
  ["a string within a template", "a.ts", 'log(`${ok ? "here" : "is away"}`);'],
  ["a list item", "a.md", "- The server\n  is away."],
  ["JSX text", "a.tsx", "const a = <p>The server is away.</p>;"],
  ["a Python docstring", "a.py", '"""The server is away."""'],
  ["a shell comment", "a.sh", "run # the server is away"],
  ["a YAML comment", "a.yaml", "a: 1 # the server is away"],
] as const)("reads %s", ([, path, source]) => {
  expect(lintProse(path, source)).toHaveLength(1);
});

test.for([
  ["identifiers", "a.ts", "const nobody = told(whoever);"],
  ["strings of one word", "a.ts", 'const code = "told";'],
  ["inline code in a comment", "a.ts", "// Maps `toolErrors: tell` to a mode."],
  ["inline code in a document", "a.md", "The value `tell` is the default."],
  ["code blocks", "a.md", "```text\nnobody is told\n```"],
  ["the targets of links", "a.md", "[policies](an-opponent-is-told.md)"],
  ["an identifier in SQL", "a.sql", "select told from events;"],
] as const)("does not read %s", ([, path, source]) => {
  expect(lintProse(path, source)).toEqual([]);
});

test("reports a question in an error", () => {
  const advice = expect.stringContaining("Errors do not ask");
  expect(lintProse("a.ts", 'throw new ConfigError("Which one? Try again.");')).toEqual([
    { line: 1, phrase: "?", advice },
  ]);
});

test("accepts a suggestion in an error, and a question elsewhere", () => {
  expect(lintProse("a.ts", 'throw new Error("Unknown name. Did you mean x?");')).toEqual([]);
  expect(lintProse("a.ts", 'ask("Overwrite it? ");')).toEqual([]);
});

test("permits a phrase with prose-ignore on its line or the line before", () => {
  expect(
    lintProse("a.ts", 'log("nobody"); // prose-ignore\nlog("is told"); // prose-ignore'),
  ).toEqual([]);
  expect(lintProse("a.ts", "// prose-ignore: a quotation\nlog(`Line one\nand nobody`);")).toEqual(
    [],
  );
  expect(lintProse("a.md", "<!-- prose-ignore -->\n> I am nobody! Who are you?\n")).toEqual([]);
});

test("permits all phrases of a file with prose-ignore-file", () => {
  expect(lintProse("a.ts", "// prose-ignore-file\n\nlog(`nobody is told`);")).toEqual([]);
});
