import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { virtualEnvironment } from "./virtual-environment.ts";

// Runs the tests with trainers' own Python clients. Arguments go to vitest. `--install` only installs the clients.
const root = join(import.meta.dirname, "../..");
const python = virtualEnvironment({
  requirements: join(root, "tooling/test/python/clients.txt"),
  folder: join(root, "node_modules/.cache/python-clients"),
  isComplete: true,
});
const config = join(root, "tooling/clients.config.ts");
if (process.argv[2] === "--install") process.exit();
const { status } = spawnSync(
  "vitest",
  ["run", "--root", root, "--config", config, ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    // Makes Python write bytecode even if the machine disables it: otherwise each script compiles for seconds.
    env: { ...process.env, ENVS_PYTHON: python, PYTHONDONTWRITEBYTECODE: "" },
  },
);
process.exitCode = status ?? 1;
