import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { sqlite } from "../src/sqlite/sqlite.ts";

test("it cuts endless small rows at a megabyte, however large the limit of the output is", async () => {
  const box = await sqlite().create({ limits: { output: 1e9, ms: 60_000 } });
  onTestFinished(() => box[Symbol.asyncDispose]());
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
  const result = await box.run(`${endless} SELECT 1 FROM n`);
  expect(result).toMatchObject({ truncated: true, exitCode: 0, reset: false });
  expect(Buffer.byteLength(result.stdout)).toBeLessThan(1024 ** 2 + 10);
});

test("it does not count the time in which the machine does not run it", async () => {
  const program = join(import.meta.dirname, "support/stopped-query.ts");
  const args = [program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toMatchObject({ stdout: "1\n1\n", timedOut: false, exitCode: 0 });
});
