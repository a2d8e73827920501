import { readFileSync } from "node:fs";
import { join } from "node:path";

import { initCommand } from "@envs/cli/init";
import { ignoreClosedPipe, reportError, runCommand } from "@envs/terminal";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
};

const command = initCommand({
  usage: "npm create envs@latest",
  templates: join(root, "dist/templates"),
  version,
  // Where this program came from, if that is not the public registry: our packages are there, too.
  registry: process.env["npm_config_registry"]?.replace(/\/$/, ""),
});

ignoreClosedPipe();
process.exitCode = await runCommand(command, process.argv.slice(2)).catch(reportError);
