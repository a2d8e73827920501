import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

import { RolloutError } from "@envs/core";
import { contentHash, messageOf } from "@envs/core/engine";

import type { AgentComputer } from "./agent-machine.ts";

type Architecture = "x64" | "arm64";

/** How a program comes into a machine that may have no network, no package manager and no Node: as files of npm packages. */
export interface ProgramBundle {
  /** Packages with exact versions, such as `opencode-ai@1.18.33`. */
  readonly packages: readonly string[];
  /** The program below `node_modules`: a binary, which is copied alone, or a script for Node, which comes with all packages. */
  readonly file: (architecture: Architecture) => string;
}

const run = promisify(execFile);
const nodeVersion = "24.21.0";
const architectures: Readonly<Record<string, Architecture>> = { x86_64: "x64", aarch64: "arm64" };
const loaders = "/lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1";
const folder = "/opt/envs/programs";
const installs = new Map<string, Promise<string>>();

/** Copies a program into a machine, unless it has it, and resolves to the command that starts it. */
export async function carryIn(
  machine: AgentComputer,
  { packages, file: fileOf }: ProgramBundle,
): Promise<readonly string[]> {
  const { stdout } = await machine.exec(`uname -m; ls ${loaders} 2>/dev/null`);
  const [name = "", loader = ""] = stdout.trim().split("\n");
  const architecture = architectures[name];
  if (architecture === undefined)
    throw refused(`The machine's processor is ${name || "unknown"}; it must be x86_64 or aarch64.`);
  const file = fileOf(architecture);
  if (loader === "" && !file.includes("-musl"))
    throw refused("The machine does not have glibc, as Alpine Linux. Use an image with glibc.");
  const isScript = file.endsWith("js");
  const node = isScript ? [`node-linux-${architecture}@${nodeVersion}`] : [];
  const wanted = [...packages, ...node];
  // Node finds packages in folders of this name.
  const target = `${folder}/${contentHash([wanted, file]).slice(0, 16)}/node_modules`;
  const program = isScript ? `${target}/${file}` : `${target}/${basename(file)}`;
  const command = isScript ? [`${target}/node-linux-${architecture}/bin/node`, program] : [program];
  // The last file that is written.
  const mark = `${target}.complete`;
  if ((await machine.exec(["test", "-e", mark])).exitCode === 0) return command;
  const modules = await installed(wanted, architecture);
  await machine.copyIn(isScript ? modules : join(modules, file), isScript ? target : program);
  await machine.write(mark, "");
  return command;
}

/** Installs packages for Linux into a cache of this computer, once: a later use needs no network. Resolves to their `node_modules`. */
function installed(packages: readonly string[], architecture: Architecture): Promise<string> {
  const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const place = join(caches, "envs", "programs");
  const target = join(place, contentHash([packages, architecture]));
  const known = installs.get(target);
  if (known !== undefined) return known;
  const install = (async () => {
    if (existsSync(target)) return join(target, "node_modules");
    await mkdir(place, { recursive: true });
    const stage = await mkdtemp(join(place, "new-"));
    try {
      const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"];
      const system = ["--os", "linux", "--cpu", architecture, "--libc", "glibc"];
      await run("npm", ["install", "--prefix", stage, ...options, ...system, ...packages]);
      // Another process may have been faster.
      await rename(stage, target).catch((error: unknown) => {
        if (!existsSync(target)) throw error;
      });
      return join(target, "node_modules");
    } catch (error) {
      throw refused(`npm cannot install ${packages.join(", ")}: ${messageOf(error)}`, error);
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  })();
  installs.set(target, install);
  install.catch(() => installs.delete(target));
  return install;
}

function refused(message: string, cause?: unknown): RolloutError {
  return new RolloutError("agent", `The program cannot enter the machine. ${message}`, {
    cause,
    isFatal: true,
  });
}
