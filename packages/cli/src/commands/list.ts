import { formatTable, paint } from "@envs/terminal";
import { defineCommand } from "citty";

import { installedEnvironments } from "../environments/installed-environments.ts";

export const command = defineCommand({
  meta: { name: "list", description: "List the environments of this project" },
  args: { json: { type: "boolean", description: "Print JSON" } },
  async run({ args }): Promise<void> {
    const environments = await installedEnvironments(process.cwd());
    if (args.json === true) {
      process.stdout.write(`${JSON.stringify(environments)}\n`);
      return;
    }
    if (environments.length === 0) {
      process.stdout.write(
        "No environments found. Install one: envs install tictactoe. Create one: envs init\n",
      );
      return;
    }
    const rows = environments.map(({ name, version, description }) => [
      paint("bold", name ?? ""),
      version ?? "",
      description ?? "",
    ]);
    process.stdout.write(`${formatTable(rows, "text")}\n`);
  },
});
