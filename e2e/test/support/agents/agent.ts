import { join } from "node:path";

import { agentProgram } from "@envs/gateway";

/** An agent for `-m agent:`. The variable `AGENT_PROCESSES` is the folder in which it records its processes. */
export default agentProgram({
  command: process.execPath,
  args: ({ prompt }) => [
    join(import.meta.dirname, "program.mjs"),
    process.env["AGENT_PROCESSES"] ?? "",
    prompt,
  ],
});
