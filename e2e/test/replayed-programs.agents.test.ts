import { execFile } from "node:child_process";
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { oracle, scriptedServer } from "./support/agents/scripted-server.ts";
import { temporaryFolder } from "./support/command-line.ts";

const run = promisify(execFile);
const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const programs = (process.env["ENVS_REPLAYED_PROGRAMS"] ?? "").split(",");

/** A project with one suite, whose model is an agent program. */
async function project(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(
    join(import.meta.dirname, "fixtures/program.fixture.ts"),
    join(folder, "program.test.ts"),
  );
  await symlink(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
}

/** Runs the suite of a project as a user with another home folder. Throws its output if it fails. */
async function play(
  folder: string,
  variables: Readonly<Record<string, string>>,
  prefix: readonly string[] = [],
): Promise<void> {
  const { CI: _, VITEST: __, ...inherited } = process.env;
  const home = join(folder, "home");
  await mkdir(home);
  const [command, ...args] = [...prefix, process.execPath, vitest, "run", "--retry=0"];
  await run(command!, args, {
    cwd: folder,
    env: { ...inherited, NO_COLOR: "1", HOME: home, ...variables },
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(error.stdout + error.stderr);
  });
}

test.each(programs)(
  "replies to %s that one machine recorded are replayed on another one, a day later",
  async (program) => {
    await using folder = await temporaryFolder();
    const [here, there] = [join(folder.path, "here"), join(folder.path, "far/there")];
    await project(here);
    await project(there);
    const { scripts } = await oracle("wiki-search");
    const server = await scriptedServer(scripts);
    const settings = { PROGRAM: program, MODEL_SERVER: server.url };
    await play(here, { ...settings, TZ: "Pacific/Kiritimati", USER: "ada" });
    const { requests } = server;
    expect(requests).toBeGreaterThan(2);
    expect(await readdir(join(here, "__cassettes__"))).toHaveLength(1);

    await cp(join(here, "__cassettes__"), join(there, "__cassettes__"), { recursive: true });
    // These time zones are 26 hours apart, and programs report another version of the system.
    const elsewhere = { TZ: "Etc/GMT+12", USER: "grace", ENVS_CASSETTES: "replay" };
    await play(there, { ...settings, ...elsewhere }, ["setarch", "--uname-2.6"]);
    expect(server.requests).toBe(requests);
  },
);
