import { expect, test } from "vitest";

import { commandsOf, envsArguments, shellBlocks } from "../support/shell-blocks.ts";

const markdown = `Text.

<!-- not run: needs a GPU -->

\`\`\`sh
train --all
\`\`\`

<!-- shell: empty folder -->
<!-- file: src/index.ts = examples/game.ts -->

\`\`\`sh
ls
\`\`\`

1. An item

   \`\`\`sh
   echo hi
   \`\`\`

\`\`\`ts
const x = 1;
\`\`\`
`;

test("reads the shell blocks of a document with the comments before them", () => {
  expect(shellBlocks("a.md", markdown)).toEqual([
    {
      place: "a.md:5",
      document: "a.md",
      text: "train --all",
      notRun: "needs a GPU",
      isInEmptyFolder: false,
      files: [],
    },
    {
      place: "a.md:12",
      document: "a.md",
      text: "ls",
      notRun: undefined,
      isInEmptyFolder: true,
      files: [{ target: "src/index.ts", source: "examples/game.ts" }],
    },
    {
      place: "a.md:18",
      document: "a.md",
      text: "echo hi",
      notRun: undefined,
      isInEmptyFolder: false,
      files: [],
    },
  ]);
});

test("splits a block into commands", () => {
  const text = [
    "A_KEY=… envs eval . -m 'policy:mixed(0.3)' > out.json   # a comment",
    "cd game && npm test",
    "cat > a.yaml <<'YAML'",
    "not: a command",
    "YAML",
    "envs view \\",
    "  outputs/*/1",
  ].join("\n");
  expect(commandsOf(text)).toEqual([
    ["envs", "eval", ".", "-m", "policy:mixed(0.3)"],
    ["cd", "game"],
    ["npm", "test"],
    ["cat"],
    ["envs", "view", "outputs/*/1"],
  ]);
});

test.each([
  [["envs", "list"], ["list"]],
  [["npx", "--no", "envs", "list"], ["list"]],
  [["npx", "-y", "pnpm@12", "envs", "list"], ["list"]],
  [["npx", "envs", "list"], undefined],
])("finds the arguments of the command line in %j", (words, expected) => {
  expect(envsArguments(words)).toEqual(expected);
});
