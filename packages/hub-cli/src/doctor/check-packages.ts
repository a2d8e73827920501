import type { Connection } from "../connection/connect.ts";
import { installedPackages } from "../packages/project-dependencies.ts";
import { readVersionWarnings, warningLines } from "../packages/version-warnings.ts";
import { type Finding, good, note } from "./finding.ts";

/** Reports the hub's warnings for the installed packages of some scopes. */
export async function checkPackages(
  connection: Connection,
  folder: string,
  scopes: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const versions = await readVersionWarnings(connection, await installedPackages(folder, scopes));
  if (versions.length === 0) return [];
  const lines = warningLines(versions);
  if (lines.length > 0) return lines.map(note);
  const names = versions.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [good(`no warnings for ${names}`)];
}
