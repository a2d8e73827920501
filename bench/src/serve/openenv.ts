import { execFileSync } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePort } from "@envs/hub-server/testing/server-process";

import { virtualEnvironment } from "../../../tooling/src/virtual-environment.ts";
import { type EchoKind, reset, startServer, stepRequest } from "./echo-server.ts";

const root = join(import.meta.dirname, "../../..");

/** Allows as many sessions as our default. OpenEnv's template allows one. */
const limit = "max_concurrent_envs=4096";

/**
 * OpenEnv's server with the echo environment of its `init` command. Returns two kinds: unchanged except for the limit of
 * sessions, and with async methods, which OpenEnv runs without threads.
 */
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
    throw new Error(
      `${app} does not contain \`max_concurrent_envs=1,\`. Adapt this benchmark to OpenEnv's new template.`,
    );
  await writeFile(app, source.replace("max_concurrent_envs=1", limit));
  const asyncApp = join(import.meta.dirname, "async_app.py");
  await copyFile(asyncApp, join(project, "server/async_app.py"));
  const kind = (name: string, module: string): EchoKind => ({
    name,
    async start() {
      const port = await freePort();
      const program = [python, "-m", "uvicorn", `server.${module}:app`];
      program.push("--host", "127.0.0.1", "--port", String(port), "--log-level", "warning");
      return startServer({ program, port, cwd: project, reset, step: stepRequest("message") });
    },
  });
  return [kind("OpenEnv", "app"), kind("OpenEnv without threads", "async_app")];
}
