import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { cloneWorkspace } from "../clone.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");

/** A machine without state: an empty home, a clone of the repository, and Node with npm. */
export interface Machine {
  readonly root: string;
  readonly clone: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Creates a machine in a folder. It shares downloads with this one, and which registry npm uses. */
export async function createMachine(folder: string): Promise<Machine> {
  const [home, clone] = [join(folder, "home"), join(folder, "clone")];
  await mkdir(home);
  await mkdir(clone);
  await cloneWorkspace(clone);
  const userConfig = process.env["npm_config_userconfig"] ?? join(homedir(), ".npmrc");
  if (existsSync(userConfig)) await copyFile(userConfig, join(home, ".npmrc"));
  const { stdout: globalConfig } = await run("npm", ["config", "get", "globalconfig"]);
  const connection = Object.entries(process.env).filter(([name]) =>
    /(?:_CERTS?|_BUNDLE|_CERT_(?:FILE|DIR)|_PROXY)$/i.test(name),
  );
  const variables = {
    ...Object.fromEntries(connection.map(([name, value = ""]) => [name, value])),
    HOME: home,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    // Downloads of npm and pnpm, which are checked by their hashes.
    XDG_DATA_HOME: process.env["XDG_DATA_HOME"] ?? join(homedir(), ".local/share"),
    NODE_COMPILE_CACHE: join(folder, "compiled"),
    npm_config_cache: process.env["npm_config_cache"] ?? join(homedir(), ".npm"),
    npm_config_globalconfig: globalConfig.trim(),
    npm_config_prefix: join(home, "global"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    // Answers yes when npm asks whether it may download a program, as a reader would.
    npm_config_yes: "true",
  };
  return { root: folder, clone, variables };
}

/** Copies the pages that this workspace has built, which the clone would build on first use. */
export async function copyBuiltPages({ clone }: Machine): Promise<void> {
  const stamps = ["web", "viewer"].map((name) => `node_modules/.cache/envs/${name}.built`);
  if (!stamps.every((path) => existsSync(join(root, path)))) return;
  for (const path of ["packages/web/dist", "packages/viewer/dist", ...stamps])
    await cp(join(root, path), join(clone, path), { recursive: true });
}

/**
 * The machine after the clone's programs were added to the path. `DOWNLOADED_PNPM` is the pnpm that npx downloaded: in a clone,
 * npx itself reads all packages of the workspace for seconds, at each start.
 */
export async function withCommand(machine: Machine): Promise<Machine> {
  const { clone, root: cwd, variables } = machine;
  const where = ["-y", "-p", "pnpm@12", "-c", "command -v pnpm"];
  const { stdout } = await run("npx", where, { cwd, env: variables });
  const programs = join(clone, "node_modules/.bin");
  const path = [programs, variables["PATH"]].join(delimiter);
  return {
    ...machine,
    variables: { ...variables, PATH: path, DOWNLOADED_PNPM: stdout.trim() },
  };
}

/** Removes what a session has left in the clone, but keeps the build. */
export async function restoreClone({ clone: cwd }: Machine): Promise<void> {
  await rm(join(cwd, "outputs"), { recursive: true, force: true });
  await run("git", ["clean", "-qfd"], { cwd });
  await run("git", ["checkout", "-q", "."], { cwd });
}
