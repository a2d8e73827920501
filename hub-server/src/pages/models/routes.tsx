import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { listModels } from "../../evaluations/models/list-models.ts";
import { modelView } from "../../evaluations/models/model-view.ts";
import { identify } from "../../identity/request/identity.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { modelPath } from "../evaluation/texts.ts";
import { publicPage } from "../layout/public-page.ts";
import { ModelList } from "./model-list.tsx";
import { ModelPage } from "./model-page.tsx";

const perPage = 50;
const listQuery = z.object({
  q: z.string().max(200).catch(""),
  kind: z.enum(["model", "policy"]).catch("model"),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
});

/** Registers the list of evaluated models, and a page for each. */
export function modelPages(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;

  publicPage(app, hub, "/models", async (request) => {
    const { q, kind, page } = listQuery.parse(request.query);
    const identity = await identify(hub, request);
    const from = (page - 1) * perPage;
    const { items, total } = await listModels(database, identity, {
      kind,
      name: q,
      from,
      limit: perPage,
    });
    return {
      title: kind === "model" ? "Models" : "Policies",
      width: "wide",
      meta: {
        path: "/models",
        description: "Language models that were evaluated in the environments of this hub.",
        isIndexed: q === "" && kind === "model",
      },
      children: <ModelList {...{ kind, items, total, q, page, perPage }} />,
    };
  });

  // Names contain slashes.
  publicPage<{ Params: { "*": string } }>(app, hub, "/models/*", async (request) => {
    const model = request.params["*"];
    const view = await modelView(hub, await identify(hub, request), model);
    if (view.boards.length + view.declared.length === 0)
      throw notFound(`The model ${model.slice(0, 100)}`);
    return {
      title: model,
      heading: <span className="name">{model}</span>,
      width: "wide",
      meta: {
        path: modelPath(model),
        description: `Evaluations of ${model} in the environments of this hub, with 95 % intervals.`,
      },
      children: <ModelPage {...{ model, view }} />,
    };
  });
}
