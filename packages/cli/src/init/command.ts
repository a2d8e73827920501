import { join } from "node:path";

import { version } from "../version.ts";
import { initCommand } from "./init-command.ts";

/** `envs init`; `npm create envs` runs the same command from another package. */
export const command = initCommand({
  usage: "envs init",
  templates: join(import.meta.dirname, "../../templates"),
  version,
  registry: "http://localhost:4873",
});
