import { execFileSync } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { virtualEnvironment } from "../../../tooling/src/virtual-environment.ts";
import { freePort } from "../hub/registry.ts";
import { type EchoKind, reset, startServer, stepOf } from "./echo-server.ts";

const root = join(import.meta.dirname, "../../..");

/** How many sessions it may hold: as many as ours by default. The project of its template allows one. */
const limit = "max_concurrent_envs=4096";

/** OpenEnv's own server with the echo environment that its command `init` writes: as it comes, and as fast as it gets. */
export async function openenv(folder: string): Promise<readonly [EchoKind, EchoKind]> {
  const python = virtualEnvironment({
    requirements: join(root, "bench/python/openenv.txt"),
    folder: join(root, "node_modules/.cache/bench-openenv"),
    isComplete: true,
  });
  execFileSync(python, ["-m", "openenv.cli", "init", "bench_echo", "-o", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const project = join(folder, "bench_echo");
  const app = join(project, "server/app.py");
  const source = await readFile(app, "utf8");
  if (!source.includes("max_concurrent_envs=1,"))
    throw new Error(`${app} sets no limit of sessions: OpenEnv's template has changed.`);
  await writeFile(app, source.replace("max_concurrent_envs=1", limit));
  const asyncApp = join(import.meta.dirname, "async_app.py");
  await copyFile(asyncApp, join(project, "server/async_app.py"));
  const kind = (name: string, module: string): EchoKind => ({
    name,
    async start() {
      const port = await freePort();
      const program = [python, "-m", "uvicorn", `server.${module}:app`];
      program.push("--host", "127.0.0.1", "--port", String(port), "--log-level", "warning");
      return startServer({ program, port, cwd: project, reset, step: stepOf("message") });
    },
  });
  return [kind("OpenEnv", "app"), kind("OpenEnv without threads", "async_app")];
}
