import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { type EnvsCommand, UsageError } from "@envs/terminal";
import { x } from "tinyexec";

import { readPackageJson } from "../package-json.ts";

const server = "@envs/hub-server";

export const command: EnvsCommand = {
  meta: { name: "hub", description: `Start, save and restore a hub of your own, with ${server}` },
  /** The server has options and a help of its own. */
  passesArguments: true,
  async run({ rawArgs }): Promise<number> {
    const bin = await serverBin();
    // Ctrl-C in a terminal reaches the hub by itself; it ends when its last request is answered.
    const ignore = (): void => {};
    const child = x(process.execPath, [...process.execArgv, bin, ...rawArgs], {
      nodeOptions: { stdio: "inherit" },
      nodePath: false,
    });
    const pass = (): void => void child.kill("SIGTERM");
    process.on("SIGINT", ignore).on("SIGTERM", pass);
    const { exitCode } = await child;
    process.off("SIGINT", ignore).off("SIGTERM", pass);
    return exitCode ?? 1;
  },
};

/** The program of the server that this project has, else of one beside this command line. */
async function serverBin(): Promise<string> {
  for (const from of [join(process.cwd(), "noop.js"), import.meta.filename]) {
    const folder = folderFrom(from);
    if (folder === undefined) continue;
    const { bin } = await readPackageJson(folder);
    const file = join(folder, typeof bin === "string" ? bin : (bin?.["envs-hub"] ?? ""));
    if (existsSync(file)) return file;
  }
  throw new UsageError(`A hub needs the package ${server}. Install it: pnpm add -D ${server}`);
}

function folderFrom(file: string): string | undefined {
  try {
    return join(createRequire(file).resolve(`${server}/package.json`), "..");
  } catch {
    return undefined;
  }
}
