import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { type CommandLine, syncDocuments } from "../../src/docs/documents.ts";
import { anchorsOf } from "../../src/docs/links.ts";

const commandLine: CommandLine = {
  describe: async (folder) => ({
    config: [],
    scores: [{ name: folder.split("/").at(-1) ?? "", weight: 1, isGroup: false }],
    tools: [],
  }),
  help: async (command) => `help of ${command}`,
  auditRules: async () => [],
};

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "envs-docs-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("updates an outdated document", async () => {
  write("examples/a.ts", "const a = 1;\n");
  write("docs/guides/one.md", "<!-- snippet: examples/a.ts -->\n");
  expect((await syncDocuments(root, { check: false, commandLine })).changed).toEqual([
    "docs/guides/one.md",
  ]);
  expect(read("docs/guides/one.md")).toContain("const a = 1;");
  expect(await syncDocuments(root, { check: true, commandLine })).toEqual({
    changed: [],
    problems: [],
  });
});

test("a check names stale parts, and writes nothing", async () => {
  write("examples/a.ts", "const a = 1;\n");
  write("README.md", "<!-- snippet: examples/a.ts -->\n");
  expect((await syncDocuments(root, { check: true, commandLine })).changed).toEqual(["README.md"]);
  expect(read("README.md")).toBe("<!-- snippet: examples/a.ts -->\n");
});

test("takes an environment's tables from its definition, and help from the command line", async () => {
  write("environments/one/README.md", "<!-- generated: scores -->\n<!-- /generated -->\n");
  write("packages/cli/README.md", "<!-- generated: envs --help -->\n<!-- /generated -->\n");
  await syncDocuments(root, { check: false, commandLine });
  expect(read("environments/one/README.md")).toContain("| `one` ");
  expect(read("packages/cli/README.md")).toContain("```text\nhelp of envs --help\n```");
});

test("collects the sections of the packages' error references", async () => {
  for (const name of ["cli", "hub-client", "serve"])
    write(`packages/${name}/errors.md`, `# Errors\n\n## Of ${name}\n\nText.\n`);
  write("docs/errors.md", "<!-- generated: errors -->\n<!-- /generated -->\n");
  await syncDocuments(root, { check: false, commandLine });
  expect(read("docs/errors.md")).toContain(
    "## Of cli\n\nText.\n\n## Of hub-client\n\nText.\n\n## Of serve\n\nText.\n",
  );
});

test("reports an unknown name of a generated block", async () => {
  write("README.md", "<!-- generated: scoers -->\n<!-- /generated -->\n");
  const { problems } = await syncDocuments(root, { check: true, commandLine });
  expect(problems[0]).toContain('README.md: line 1: Unknown block "scoers".');
});

test("reports links to missing files and headings, but ignores code and the web", async () => {
  write("docs/errors.md", "# Errors\n\n## `timeout`\n");
  write(
    "README.md",
    [
      "[good](docs/errors.md#timeout) [folder](docs) [web](https://example.com/x)",
      "[no file](docs/none.md) [no heading](docs/errors.md#none) `[code](none.md)`",
    ].join("\n"),
  );
  expect((await syncDocuments(root, { check: true, commandLine })).problems).toEqual([
    "README.md: the link to docs/none.md leads nowhere",
    "README.md: the link to docs/errors.md#none leads nowhere",
  ]);
});

test("anchors are made as GitHub makes them", () => {
  expect(anchorsOf("# A rubric\n\n## `pass@k`, and more\n")).toEqual([
    "a-rubric",
    "passk-and-more",
  ]);
});
