import { readFileSync } from "node:fs";
import { join } from "node:path";

import { initCommand } from "@envs/cli/init";
import { ignoreClosedPipe, reportError, runCommand } from "@envs/cli/kit";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
};

/** The registry of this program, if the user chose it: such a registry has our packages, too. */
const registry = [
  "npm_config_registry",
  "pnpm_config_registry",
  "BUN_CONFIG_REGISTRY",
  "YARN_NPM_REGISTRY_SERVER",
]
  .map((name) => process.env[name])
  .find((value) => value !== undefined && URL.canParse(value));

const command = initCommand({
  usage: "npm create envs@latest",
  templates: join(root, "dist/templates"),
  version,
  registry: registry?.replace(/\/$/, ""),
});

ignoreClosedPipe();
process.exitCode = await runCommand(command, process.argv.slice(2)).catch(reportError);
