import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("the prose linter ends quietly when the reader has closed the pipe", () => {
  const errors = execFileSync(
    "bash",
    ["-c", '{ "$0" tooling/src/prose.ts docs 2>&3 | true; } 3>&1', process.execPath],
    { cwd: root, encoding: "utf8" },
  );
  expect(errors).toBe("");
});
