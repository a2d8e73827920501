import { defineCommand, printResult } from "@envs/cli/kit";

import { connectAsUser, hubArguments } from "../connection/connect.ts";
import { readUsername } from "../connection/log-in.ts";

export const command = defineCommand({
  meta: { name: "hub whoami", description: "Show the user that is logged in to a hub" },
  args: { ...hubArguments },
  async run({ args: { registry, json } }): Promise<void> {
    const connection = await connectAsUser({ command: "envs hub whoami", registry });
    const user = await readUsername(connection);
    printResult(json, { hub: connection.url, user }, user);
  },
});
