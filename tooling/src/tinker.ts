import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { virtualEnvironment } from "./virtual-environment.ts";

// Trains a random model on the official SkyRL server. Arguments go to vitest. Opt-in: the server's packages weigh 6 GB.
const root = join(import.meta.dirname, "../..");
const python = virtualEnvironment({
  requirements: join(root, "tooling/test/python/skyrl.txt"),
  folder: join(root, "node_modules/.cache/python-skyrl"),
  isComplete: true,
  // SkyRL needs at least 3.12, and the pinned packages are for that version.
  python: process.env["ENVS_PYTHON_312"] ?? "python3.12",
});
const model = join(root, "node_modules/.cache/tiny-llama");
if (!existsSync(join(model, "tokenizer.json"))) {
  const script = join(root, "tooling/test/python/tiny_llama.py");
  const { status } = spawnSync(python, [script, model], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${script} failed with status ${status}.`);
}
const config = join(root, "tooling/tinker.config.ts");
const { status } = spawnSync(
  "vitest",
  ["run", "--root", root, "--config", config, ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ENVS_PYTHON: python, ENVS_TINY_LLAMA: model },
  },
);
process.exitCode = status ?? 1;
