import { join } from "node:path";

import { version } from "../version.ts";
import { initCommand } from "./init-command.ts";

/** `envs init`; `npm create envs` is the same command as a package of its own. */
export const command = initCommand({
  usage: "envs init",
  templates: join(import.meta.dirname, "../../templates"),
  version,
  registry: "http://localhost:4873",
});
