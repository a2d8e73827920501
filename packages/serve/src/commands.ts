/** The commands that this package adds to the command line. */
export const commands = {
  serve: () => import("./commands/serve.ts"),
  "serve mcp": () => import("./commands/mcp.ts"),
  "serve model": () => import("./commands/model.ts"),
};

/** The Markdown file that explains the errors of this package. */
export const errors = new URL("../errors.md", import.meta.url);
