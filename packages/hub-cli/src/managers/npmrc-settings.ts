import { join } from "node:path";

import { type CommandContext, userNpmrcPath } from "../config/context.ts";
import { readText } from "../config/files.ts";
import { parseNpmrc, writeSetting } from "../config/npmrc.ts";
import { projectRoot } from "../config/project-root.ts";
import { tokenKey } from "../connection/token-store.ts";
import type { ScopeMapping } from "./package-manager.ts";

/** Maps a scope to a hub in the project's `.npmrc`, which all package managers but Yarn 4 read. */
export async function mapScopeInNpmrc(
  root: string,
  { scope, url }: ScopeMapping,
): Promise<readonly string[]> {
  const file = join(root, ".npmrc");
  return (await writeSetting(file, `${scope}:registry`, `${url}/`)) ? [file] : [];
}

/** Reads the user's and the project's `.npmrc`. Returns whether one of them has a token for a registry. */
export async function npmrcTokens(context: CommandContext): Promise<(url: string) => boolean> {
  const files = [join(await projectRoot(context.folder), ".npmrc"), userNpmrcPath(context)];
  const texts = await Promise.all(files.map((file) => readText(file)));
  const settings = texts.map((text) => parseNpmrc(text, context.variables));
  return (url) =>
    settings.some((fileSettings) => {
      const token = fileSettings.get(tokenKey(url)) ?? "";
      return token !== "" && !token.includes("${");
    });
}
