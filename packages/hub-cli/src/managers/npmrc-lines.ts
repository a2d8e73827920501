import { join } from "node:path";

import { type Place, projectRoot, textOf, userNpmrc } from "../config/context.ts";
import { writeSetting } from "../config/npmrc-file.ts";
import { npmrcSettings } from "../config/npmrc.ts";
import { tokenKey } from "../connection/token-store.ts";
import type { HubLine } from "./package-manager.ts";

/** Has a scope's packages come from a hub by the project's `.npmrc`, which all but Yarn 4 read. */
export async function lineInNpmrc(
  root: string,
  { scope, url }: HubLine,
): Promise<readonly string[]> {
  const file = join(root, ".npmrc");
  return (await writeSetting(file, `${scope}:registry`, `${url}/`)) ? [file] : [];
}

/** For which addresses the user's `.npmrc`, or the project's, has a token. */
export async function tokensInNpmrc(place: Place): Promise<(url: string) => boolean> {
  const files = [join(await projectRoot(place.folder), ".npmrc"), userNpmrc(place)];
  const texts = await Promise.all(files.map((file) => textOf(file)));
  const settings = texts.map((text) => npmrcSettings(text, place.variables));
  return (url) =>
    settings.some((each) => {
      const token = each.get(tokenKey(url)) ?? "";
      return token !== "" && !token.includes("${");
    });
}
