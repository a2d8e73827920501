import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import type { AuditRule } from "./audit-rules.ts";
import type { CommandLine } from "./documents.ts";
import type { Description } from "./environment-tables.ts";

/** The command line of the workspace at `root`, run from its sources: documents must not quote a stale build. */
export function workspaceCommandLine(root: string): CommandLine {
  const descriptions = new Map<string, Description>();
  const envs = (...args: readonly string[]): string => {
    const bin = join(root, "packages/cli/src/bin.ts");
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1", COLUMNS: "120" },
    });
    if (status !== 0) throw new Error(`envs ${args.join(" ")} failed: ${stderr.trim()}`);
    return stdout;
  };
  return {
    describe(folder) {
      const known = descriptions.get(folder);
      if (known !== undefined) return known;
      const description = JSON.parse(envs("info", folder, "--json")) as Description;
      descriptions.set(folder, description);
      return description;
    },
    auditRules: () => JSON.parse(envs("audit", "--list", "--json")) as AuditRule[],
    help: (command) => tidy(envs(...command.split(" ").slice(1))),
  };
}

/** Removes colours, trailing blanks and the version, which changes with every release. */
function tidy(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/^envs \d\S*:/, "envs:")
    .replaceAll(/[ \t]+$/gm, "")
    .trim();
}
