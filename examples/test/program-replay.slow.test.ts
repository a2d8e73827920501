import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const run = promisify(execFile);

/** A folder with the test of an agent program, as a checkout has it. */
async function checkout(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  const isOwn = (path: string): boolean => !path.endsWith("node_modules");
  await cp(source, folder, { recursive: true, filter: isOwn });
  const config = 'export default { test: { include: ["*.fixture.ts"] } };';
  await writeFile(join(folder, "vitest.config.mjs"), config);
  const modules = join(import.meta.dirname, "../node_modules");
  await symlink(modules, join(folder, "node_modules"));
  return folder;
}

async function play(folder: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const { CI: _, VITEST: __, ...inherited } = process.env;
  const manifest = createRequire(import.meta.url).resolve("vitest/package.json");
  const vitest = join(dirname(manifest), "vitest.mjs");
  const env = { ...inherited, HOME: folder, CALLS: join(folder, "calls"), ...variables };
  await run(process.execPath, [vitest, "run"], { cwd: folder, env });
}

test("the recorded replies to a program are those of its next run, in another folder and at another time", async () => {
  const first = await checkout(join(import.meta.dirname, "support/program-replay"));
  await play(first, {});
  expect(await readFile(join(first, "calls"), "utf8")).toBe("call\ncall\n");
  const second = await checkout(first);
  await play(second, { CI: "true" });
  expect(await readFile(join(second, "calls"), "utf8")).toBe("call\ncall\n");
});
