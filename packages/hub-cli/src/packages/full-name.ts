import { clean, UsageError } from "@envs/terminal";
import { distance } from "fastest-levenshtein";

import type { Connection } from "../connection/connect.ts";
import { isPackageName } from "./package-spec.ts";

/** The package that a name means. One without a scope is looked for in every scope, and must be in one alone. */
export async function fullName(
  { client, url }: Pick<Connection, "client" | "url">,
  written: string,
): Promise<string> {
  if (written.startsWith("@")) return written;
  const { items } = await client.findPackages({ q: written, perPage: 100 });
  const names = items.map(({ name }) => name).filter((name) => isPackageName(name));
  if (names.includes(written)) return written;
  const same = names.filter((name) => name.endsWith(`/${written}`));
  const [only] = same;
  if (only !== undefined && same.length === 1) return only;
  const near = names.filter((name) => isNear(name, written)).slice(0, 5);
  const list = (of: readonly string[]): string => of.map((name) => `\n  ${clean(name)}`).join("");
  throw new UsageError(
    same.length > 1
      ? `Several packages on ${url} are called ${written}. Which one?${list(same)}`
      : near.length > 0
        ? `No package on ${url} is called ${written}. Do you mean one of these?${list(near)}`
        : `No package on ${url} is called ${written}. Look for one: envs search <words>`,
  );
}

function isNear(name: string, written: string): boolean {
  const bare = name.split("/").at(-1) ?? name;
  return bare.includes(written) || distance(bare, written) <= Math.max(2, written.length / 3);
}
