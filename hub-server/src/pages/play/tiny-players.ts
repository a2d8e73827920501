import type { PlayerProps } from "@envs/web/player";
import { sql } from "kysely";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { assetPath, scriptsOf } from "../layout/assets.ts";
import { rawPath } from "../package/package-view.ts";

const weights = "model.safetensors";
/** The maximum size of a model: larger ones load too slowly for a page. */
const maxBytes = 64 * 2 ** 20;
const maxPlayers = 5;

/**
 * The published tiny models that play an environment, limited to those that the visitor may read. The `package.json` of a
 * model lists its environments: `"envs": { "plays": ["@scope/name"] }`.
 */
export async function tinyPlayers(
  database: Database,
  environment: string,
  identity: Identity | undefined,
): Promise<PlayerProps["models"]> {
  const { rows } = await sql<{ readonly name: string; readonly version: string }>`
    select packages.name, versions.version
    from search_entries as entry
    join packages on packages.id = entry.package_id
    join versions on versions.id = entry.version_id
    join files on files.version_id = versions.id and files.path = ${weights}
    where 'llm-environment-model' = any (entry.keywords)
      and versions.manifest -> 'envs' -> 'plays' @> ${JSON.stringify([environment])}::jsonb
      and files.size <= ${maxBytes}
      and ${readableBy(identity)}
    order by entry.downloads desc, packages.name
    limit ${maxPlayers}`.execute(database);
  const [script = ""] = scriptsOf(new Set(["tiny-player"])).starts;
  return rows.map(({ name, version }) => ({
    name: name.replace(/^.*\/(?:tiny-)?/, ""),
    url: `${rawPath(name, version)}/${weights}`,
    scriptUrl: assetPath(script),
  }));
}
