import { defineCommand } from "citty";

import { connectAsUser, hubArguments } from "../connection/connect.ts";
import { whoAmI } from "../connection/log-in.ts";

export const command = defineCommand({
  meta: { name: "whoami", description: "Say who you are on a hub" },
  args: { ...hubArguments },
  async run({ args: { registry, json } }): Promise<void> {
    const connection = await connectAsUser({ command: "envs whoami", registry });
    const user = await whoAmI(connection);
    process.stdout.write(
      json === true ? `${JSON.stringify({ hub: connection.url, user })}\n` : `${user}\n`,
    );
  },
});
