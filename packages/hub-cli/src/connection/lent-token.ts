import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Place, textOf, userNpmrc } from "../config/context.ts";
import { withSetting } from "../config/npmrc.ts";
import { type FoundToken, tokenKey, tokenVariable } from "./token-store.ts";

/**
 * Starts something that is to use a token of the variable, as npm, pnpm and Yarn 1 can: by an `.npmrc` that has what the
 * user's has, and names the variable. As a variable of its own, the setting has a name that shells do not pass on.
 */
export async function lendToken<Result>(
  place: Place,
  { url, token }: { readonly url: string; readonly token: FoundToken | undefined },
  start: (variables: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  if (token?.from !== tokenVariable) return await start({});
  const folder = await mkdtemp(join(tmpdir(), "envs-npmrc-"));
  try {
    const file = join(folder, ".npmrc");
    const text = withSetting(await textOf(userNpmrc(place)), tokenKey(url), `\${${tokenVariable}}`);
    await writeFile(file, text, { mode: 0o600 });
    return await start({ NPM_CONFIG_USERCONFIG: file, npm_config_userconfig: file });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
