import { readAssets } from "@envs/web";
import type { PageResponse } from "@envs/web/player-page";

import type { ServedEnvironment } from "../context.ts";
import { assetPrefix } from "./assets.ts";

/** The path of an environment's page. */
function pagePath(name: string): string {
  return `/web/play/${encodeURIComponent(name)}`;
}

/** The page on which a person plays a served environment. React is loaded with the first page. */
export async function environmentPage(
  { host: { card }, tools }: ServedEnvironment,
  names: readonly string[],
): Promise<PageResponse> {
  // In a clone, the page is built with the assets.
  readAssets();
  const { playerPage } = await import("@envs/web/player-page");
  const { name, description, scores, splits, maxTurns, version } = card;
  return playerPage({
    title: version === undefined ? name : `${name} ${version}`,
    description: description === name ? undefined : description,
    links: names.length < 2 ? [] : names.map((other) => ({ name: other, path: pagePath(other) })),
    assetPrefix,
    props: {
      name,
      source: {
        kind: "server",
        socketPath: `/${encodeURIComponent(name)}/ws`,
        textTool: card.tools?.length === 0 ? undefined : tools.respond,
      },
      scores,
      splits,
      tools:
        card.tools?.length === 0 ? [] : tools.specs.filter((tool) => tool.name !== tools.respond),
      maxTurns,
      policies: [],
      // A server plays the other seats.
      seats: [],
      config: {},
      models: [],
    },
  });
}
