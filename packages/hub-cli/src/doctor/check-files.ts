import { stat } from "node:fs/promises";
import { join } from "node:path";

import { type CommandContext, displayPath, userNpmrcPath } from "../config/context.ts";
import { readText } from "../config/files.ts";
import { parseNpmrc } from "../config/npmrc.ts";
import { projectRoot } from "../config/project-root.ts";
import { bad, type Finding, note } from "./finding.ts";

/** Finds secrets in the project's `.npmrc`, and a user's `.npmrc` that other users can read. */
export async function checkFiles(context: CommandContext): Promise<readonly Finding[]> {
  const userFile = userNpmrcPath(context);
  const projectFile = join(await projectRoot(context.folder), ".npmrc");
  const findings: Finding[] = [];
  if (projectFile !== userFile && (await containsSecret(projectFile)))
    findings.push(
      bad(
        `${displayPath(projectFile, context)} contains a token, which everyone with access to the project can read. Remove it, revoke it (envs token revoke), and log in: envs login`,
      ),
    );
  if (process.platform === "win32" || !(await isReadableByOthers(userFile))) return findings;
  const path = displayPath(userFile, context);
  if (await containsSecret(userFile))
    findings.push(note(`other users of this machine can read ${path}: chmod 600 ${path}`));
  return findings;
}

async function isReadableByOthers(file: string): Promise<boolean> {
  const mode = await stat(file).then(
    (stats) => stats.mode,
    () => 0o600,
  );
  return (mode & 0o077) !== 0;
}

async function containsSecret(file: string): Promise<boolean> {
  // Without variables, `${NAME}` stays as it is.
  const settings = parseNpmrc(await readText(file), {});
  return Array.from(settings).some(
    ([key, value]) => /:_(?:authToken|auth|password)$/.test(key) && !value.includes("${"),
  );
}
