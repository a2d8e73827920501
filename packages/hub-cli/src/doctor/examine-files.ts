import { stat } from "node:fs/promises";
import { join } from "node:path";

import { type Place, projectRoot, shown, textOf, userNpmrc } from "../config/context.ts";
import { npmrcSettings } from "../config/npmrc.ts";
import { bad, type Finding, note } from "./finding.ts";

/** Looks for secrets where others read them. */
export async function examineFiles(place: Place): Promise<readonly Finding[]> {
  const [user, project] = [userNpmrc(place), join(await projectRoot(place.folder), ".npmrc")];
  const mode = await stat(user).then(
    (found) => found.mode,
    () => 0o600,
  );
  return [
    ...(project === user || !(await holdsSecret(project))
      ? []
      : [
          bad(
            `${shown(project, place)} holds a token, and whoever has the project has it, too. Take it out, revoke it (envs token revoke), and log in: envs login`,
          ),
        ]),
    ...(process.platform === "win32" || (mode & 0o077) === 0 || !(await holdsSecret(user))
      ? []
      : [
          note(
            `others on this machine may read ${shown(user, place)}: chmod 600 ${shown(user, place)}`,
          ),
        ]),
  ];
}

async function holdsSecret(file: string): Promise<boolean> {
  // With no variables, those that it names stay as they are written.
  const settings = npmrcSettings(await textOf(file), {});
  return Array.from(settings).some(
    ([key, value]) => /:_(?:authToken|auth|password)$/.test(key) && !value.includes("${"),
  );
}
