import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startBrowser } from "@envs/hub-server/testing/chromium";
import { startViewerServer, Workspace } from "@envs/viewer/node";

// Draws the pictures of the rollout viewer in docs/images/viewer: pnpm pictures. Evaluates policies and the tiny model first.

const root = join(import.meta.dirname, "../..");
const target = join(root, "docs/images/viewer");
const outputs = await mkdtemp(join(tmpdir(), "envs-pictures-"));

function envs(...args: readonly string[]): void {
  const bin = join(root, "packages/cli/bin/envs.js");
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`envs ${args.join(" ")} failed: ${stderr}`);
}

for (const [environment, model] of [
  ["wiki-search", "policy:oracle"],
  ["tictactoe", "policy:mixed"],
  ["tictactoe", "tiny:base"],
] as const)
  envs("eval", environment, "-m", model, "-n", "40", "-r", "4", "--save", outputs);

const workspace = new Workspace(outputs);
const server = await startViewerServer({ workspace });
const runs = await workspace.list();
const idOf = (model: string): string => runs.find((run) => run.model.includes(model))?.id ?? "";

/** The part of the address after `#` of each picture. */
const pictures = {
  rollout: `run=${idOf("oracle")}&rollout=3-0&text=nearest`,
  examples: `run=${idOf("tiny")}&view=examples`,
  compare: `run=${idOf("mixed")}&other=${idOf("tiny")}&view=compare`,
};

const browser = await startBrowser();
await mkdir(target, { recursive: true });
for (const [name, state] of Object.entries(pictures)) {
  const tab = await browser.newPage({
    viewport: { width: 1200, height: 720 },
    colorScheme: "light",
    locale: "en-GB",
  });
  await tab.goto(`${server.url}#${state}`);
  await tab.locator(".rows button").first().waitFor();
  await tab.waitForTimeout(1000);
  await tab.screenshot({ path: join(target, `${name}.png`) });
  await tab.close();
}
await browser.close();
await server.close();
await rm(outputs, { recursive: true, force: true });
