import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { type EnvsCommand, ownScope, UsageError } from "@envs/cli/kit";
import { readPackageJson } from "@envs/cli/kit/environments";
import { x } from "tinyexec";

const serverPackage = `${ownScope}/hub-server`;

export const command: EnvsCommand = {
  meta: {
    name: "hub server",
    description: `Run, back up and restore your own hub with ${serverPackage}`,
  },
  // The server parses its own options and prints its own help.
  passesArguments: true,
  async run({ rawArgs }): Promise<number> {
    const bin = await findServerBin();
    // The terminal sends Ctrl-C to the server, too, which exits after its last response.
    const ignore = (): void => {};
    const child = x(process.execPath, [...process.execArgv, bin, ...rawArgs], {
      nodeOptions: { stdio: "inherit" },
      nodePath: false,
    });
    const terminate = (): void => void child.kill("SIGTERM");
    process.on("SIGINT", ignore).on("SIGTERM", terminate);
    const { exitCode } = await child;
    process.off("SIGINT", ignore).off("SIGTERM", terminate);
    return exitCode ?? 1;
  },
};

/** The server's program: of this project, else of the package that is installed with this command line. */
async function findServerBin(): Promise<string> {
  for (const importer of [join(process.cwd(), "noop.js"), import.meta.filename]) {
    const folder = serverFolder(importer);
    if (folder === undefined) continue;
    const { bin } = await readPackageJson(folder);
    const file = join(folder, typeof bin === "string" ? bin : (bin?.["envs-hub"] ?? ""));
    if (existsSync(file)) return file;
  }
  throw new UsageError(
    `envs hub server needs the package ${serverPackage}. Install it from a hub: envs install --dev ${serverPackage}. In a clone of the repository, build it: npx -y pnpm@12 build`,
  );
}

function serverFolder(importer: string): string | undefined {
  try {
    return join(createRequire(importer).resolve(`${serverPackage}/package.json`), "..");
  } catch {
    return undefined;
  }
}
