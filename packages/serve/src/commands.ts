import { frameErrors, serveErrors } from "./error-reference.ts";

/** The commands that this package adds to the command line. */
export const commands = {
  serve: () => import("./commands/serve.ts"),
  "serve mcp": () => import("./commands/mcp.ts"),
  "serve model": () => import("./commands/model.ts"),
};

/** The errors of this package, by area. */
export const errors = { "Served sessions": serveErrors, "OpenEnv frames": frameErrors };
