import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { cloneWorkspace } from "./support/clone.ts";
import { temporaryFolder } from "./support/command-line.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "../../tooling/src/rename-scope.ts");

test("renames the scope of a clone, which then installs and runs", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await cloneWorkspace(cwd);
  await run(process.execPath, [script, "@our-lab", cwd]);
  await expect(run("git", ["grep", "-lI", "-e", "@envs/"], { cwd })).rejects.toMatchObject({
    stdout: "",
  });

  // Resolves all packages, and links what the evaluation needs.
  const filters = ["cli", "tictactoe"].map((name) => `--filter=@our-lab/${name}...`);
  await run("pnpm", ["install", "--no-frozen-lockfile", "--prefer-offline", ...filters], { cwd });
  const envs = join(cwd, "packages/cli/src/bin.ts");
  const played = await run(
    process.execPath,
    [envs, "eval", "tictactoe", "-m", "policy:optimal", "-n", "5", "--json"],
    { cwd },
  );
  expect(JSON.parse(played.stdout)).toMatchObject({ counts: { scored: 15 } });
  const missing = run(process.execPath, [envs, "eval", "x", "-m", "gguf:x"], { cwd });
  await expect(missing).rejects.toThrow("envs install x");
});
