import { searchIsland, type SearchState, searchStateOf } from "@envs/web/search";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { identify } from "../../identity/request/identity.ts";
import { userOf } from "../../identity/sessions/visitor.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { searchOf, type SearchParameters } from "../../search/search-packages.ts";
import type { PageContent } from "../layout/frame.tsx";
import { Island } from "../layout/island.tsx";
import { publicPage, sendCached } from "../layout/public-page.ts";

const perPage = 20;

/** Serves the search page, and its results as JSON for the page's script. */
export function searchPage(app: FastifyInstance, hub: Hub): void {
  const search = searchOf(hub);
  const resultsOf = async (request: FastifyRequest, state: SearchState) =>
    await search(parametersOf(state), {
      identity: await identify(hub, request),
      traits: state.all ? {} : { environment: true },
    });

  publicPage(app, hub, "/search", async (request) => {
    const state = stateOf(request);
    return pageOf(state, await resultsOf(request, state));
  });

  app.get("/search/results", async (request, reply) => {
    const visitor = await userOf(hub, request, reply);
    const results = () => resultsOf(request, stateOf(request));
    if (visitor !== undefined) return reply.send(await results());
    return await sendCached(hub, request, reply, {
      type: "application/json; charset=utf-8",
      make: async () => JSON.stringify(await results()),
    });
  });
}

function stateOf({ url }: FastifyRequest): SearchState {
  return searchStateOf(new URL(url, "http://hub").searchParams);
}

function parametersOf({ evaluated, all: _all, ...state }: SearchState): SearchParameters {
  const listOrNone = (values: readonly string[]) => (values.length > 0 ? [...values] : undefined);
  return {
    ...state,
    kind: listOrNone(state.kind),
    need: listOrNone(state.need),
    protocol: listOrNone(state.protocol),
    tag: listOrNone(state.tag),
    tool: listOrNone(state.tool),
    license: listOrNone(state.license),
    owner: listOrNone(state.owner),
    evaluated: evaluated ? "true" : undefined,
    perPage,
  };
}

function pageOf(
  state: SearchState,
  results: Awaited<ReturnType<ReturnType<typeof searchOf>>>,
): PageContent {
  return {
    title: state.q === "" ? "Environments" : `${state.q} · Search`,
    heading: "Environments",
    width: "wide",
    hasSearch: true,
    meta: {
      path: "/search",
      description:
        "Search reinforcement-learning environments for language models by name, topic, tool and score.",
      // Search engines list the packages, not the searches.
      isIndexed: state.q === "",
    },
    children: <Island of={searchIsland} props={{ state, results }} />,
  };
}
