import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { identify } from "../identity/request/identity.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { find } from "./find.ts";
import { npmQuery } from "./npm-query.ts";
import { type NpmResult, npmResultsOf } from "./npm-results.ts";
import { remembered } from "./remember.ts";
import type { Wanted } from "./wanted.ts";

/** A number that a client sends; one that it should not have sent counts as the nearest. */
const number = (least: number, most: number, otherwise: number) =>
  z.coerce
    .number()
    .transform((value) => Math.trunc(Math.min(Math.max(value, least), most)))
    .catch(otherwise);

const query = z.object({
  text: z.string().catch(""),
  size: number(0, 250, 20),
  from: number(0, 100_000, 0),
});

/** `GET /-/v1/search`, in npm's form. Its weights of quality, popularity and maintenance are taken and ignored, as npm does. */
export function npmSearchRoute(app: FastifyInstance, hub: Hub): void {
  const search = remembered(hub, async (wanted: Wanted) => {
    const { ids, total } = await find(hub.database, wanted);
    return { total, results: await npmResultsOf(hub.database, ids) };
  });
  app.get("/-/v1/search", async (request) => {
    const { text, size, from } = query.parse(request.query);
    const { total, results } = await search({
      ...npmQuery(text.slice(0, 1000).replaceAll(/\p{Cc}/gu, " ")),
      identity: await identify(hub, request),
      sort: "relevance",
      offset: from,
      limit: size,
    });
    const origin = originOf(hub.settings, request);
    return {
      objects: results.map((result, index) => npmObject(result, { origin, place: from + index })),
      total,
      time: hub.clock().toISOString(),
    };
  });
}

/** Clients that sort by score keep the order: the hub's own rank is no number that npm knows. */
function npmObject(
  { package: { links, ...found }, detail, flags }: NpmResult,
  { origin, place }: { readonly origin: string; readonly place: number },
) {
  const final = 1 / (1 + place);
  const given = Object.entries(links).filter(([, address]) => address !== null);
  return {
    package: {
      ...found,
      links: { npm: `${origin}/${found.name}`, ...Object.fromEntries(given) },
    },
    score: { final, detail },
    searchScore: final,
    flags,
  };
}
