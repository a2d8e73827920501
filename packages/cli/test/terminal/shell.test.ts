import { execFileSync } from "node:child_process";

import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { shellCommand } from "../../src/terminal/shell.ts";

/** The words that a shell splits the text into. */
function wordsOf(command: string): readonly string[] {
  const output = execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  return output.split("\0").slice(0, -1);
}

const special = fc.constantFrom(
  ..." '\"$`\\!*?[]{}()<>|&;~#=\n\t%-é…".split(""),
  "$(id)",
  "policy:mixed(0.3)",
  '{"most": 3}',
);
const argument = fc.oneof(
  fc.array(special, { maxLength: 8 }).map((parts) => parts.join("")),
  fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0") && text.isWellFormed()),
);

test("formats arguments that a shell splits into the same arguments", () => {
  fc.assert(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 20 }), (args) => {
      expect(wordsOf(shellCommand(args))).toEqual(args);
    }),
    { numRuns: cases(200) },
  );
});

test("does not quote arguments that a shell leaves unchanged", () => {
  expect(shellCommand(["envs", "view", "outputs/evals/a--b/1", "--limit=3"])).toBe(
    "envs view outputs/evals/a--b/1 --limit=3",
  );
  expect(shellCommand(["envs", "eval", ".", "-m", "policy:mixed(0.3)", ""])).toBe(
    "envs eval . -m 'policy:mixed(0.3)' ''",
  );
});
