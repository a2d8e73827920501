import { stripVTControlCharacters } from "node:util";

import type { AuditRule } from "./audit-rules.ts";
import type { CommandLine } from "./documents.ts";
import type { Description } from "./environment-tables.ts";

/**
 * The command line of this workspace, run from its sources: documents must not quote a stale build. It runs in this process,
 * because each start takes a second.
 */
export async function workspaceCommandLine(): Promise<CommandLine> {
  Object.assign(process.env, { NO_COLOR: "1", COLUMNS: "120" });
  const { run } = await import("../../../packages/cli/src/main.ts");
  const descriptions = new Map<string, Description>();
  const envs = async (...args: readonly string[]): Promise<string> => {
    const write = process.stdout.write.bind(process.stdout);
    let text = "";
    process.stdout.write = (chunk) => {
      text += String(chunk);
      return true;
    };
    let status: number;
    try {
      status = await run(args);
    } finally {
      process.stdout.write = write;
    }
    if (status !== 0) throw new Error(`envs ${args.join(" ")} failed; see above.`);
    return text;
  };
  return {
    async describe(folder) {
      const known = descriptions.get(folder);
      if (known !== undefined) return known;
      const description = JSON.parse(await envs("info", folder, "--json")) as Description;
      descriptions.set(folder, description);
      return description;
    },
    auditRules: async () => JSON.parse(await envs("audit", "--list", "--json")) as AuditRule[],
    help: async (command) => tidy(await envs(...command.split(" ").slice(1))),
  };
}

/** Removes colours, trailing blanks and the version, which changes with every release. */
function tidy(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/^envs \d\S*:/, "envs:")
    .replaceAll(/[ \t]+$/gm, "")
    .trim();
}
