import { Readable } from "node:stream";

import type { Run } from "@envs/hub-client";
import { isMediaFile, shownType } from "@envs/viewer";
import { type Asset, viewerAssets, viewerPage } from "@envs/viewer/node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { readMedia, readRow } from "../../evaluations/rollouts/read-rows.ts";
import { readRuns, requireRun } from "../../evaluations/runs/read-runs.ts";
import { identify } from "../../identity/request/identity.ts";
import { userOf } from "../../identity/sessions/visitor.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { runMessages, searchMessages } from "./run-data.ts";
import { parseReference, toEntry } from "./run-rows.ts";

/** The policy of other pages, but with the pictures and sounds that a record may contain. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The headers of media files: no page runs their content. */
const mediaHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
} as const;

const assetFolder = "/-/assets/";
const maxOtherRuns = 100;

type PageRequest = FastifyRequest<{ Params: { run: string } }>;
type RunRequest = FastifyRequest<{ Params: { run: string; name: string } }>;

/** Serves the script and the stylesheet of the rollout viewer. Their names contain a hash, so browsers keep them. */
export async function viewerAssetRoutes(app: FastifyInstance): Promise<void> {
  const { script, style } = await viewerAssets();
  const send =
    ({ type, text }: Asset) =>
    (_request: FastifyRequest, reply: FastifyReply) =>
      reply.type(type).header("cache-control", "public, max-age=31536000, immutable").send(text);
  app.get(assetFolder + script.name, send(script));
  app.get(assetFolder + style.name, send(style));
}

/** Serves the rollout viewer of each run, and the data that it reads. */
export function rolloutViewer(pages: FastifyInstance, hub: Hub): void {
  void pages.register(async (app) => {
    app.addHook("preHandler", async (request, reply) => {
      await userOf(hub, request, reply);
    });
    viewerRoutes(app, hub);
  });
}

function viewerRoutes(app: FastifyInstance, hub: Hub): void {
  const readRun = async (request: FastifyRequest, id: string): Promise<Run> =>
    await requireRun(hub.database, await identify(hub, request), id);
  const namedRun = async (request: RunRequest) => {
    const reference = parseReference(request.params.name);
    return { reference, run: await readRun(request, reference.run) };
  };
  const data = "/run/:run/rollouts/data";

  app.get("/run/:run/rollouts", async (request: PageRequest, reply) => {
    const { id, recipe } = await readRun(request, request.params.run);
    const { script, style } = await viewerAssets();
    const page = viewerPage({
      title: `Rollouts of ${recipe.model} on ${recipe.package}`,
      assets: assetFolder,
      script: script.name,
      style: style.name,
      data: `/run/${id}/rollouts/data`,
      notes: "browser",
      home: { address: `/run/${id}`, title: "Run" },
    });
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", policy)
      .header("x-robots-tag", "noindex")
      .send(page);
  });

  app.get<{ Params: { run: string; position: string } }>(
    "/run/:run/rollouts/:position",
    async ({ params: { run, position } }, reply) =>
      reply.redirect(
        `/run/${encodeURIComponent(run)}/rollouts#rollout=${encodeURIComponent(position)}`,
      ),
  );

  app.get(`${data}/runs`, async (request: PageRequest) => {
    const opened = await readRun(request, request.params.run);
    const { id: packageId } = await readablePackage(hub, request, opened.recipe.package);
    const identity = await identify(hub, request);
    const filter = { packageId, kind: "evaluation" as const };
    const others = await readRuns(hub.database, identity, filter, { from: 0, limit: maxOtherRuns });
    return [opened, ...others.filter(({ id }) => id !== opened.id)].map(toEntry);
  });

  app.get(`${data}/runs/:name/events`, async (request: RunRequest, reply) => {
    const { run, reference } = await namedRun(request);
    return sendLines(reply, runMessages(hub, run, reference));
  });

  app.get(`${data}/runs/:name/search`, async (request: RunRequest, reply) => {
    const { run } = await namedRun(request);
    const { text } = request.query as { readonly text?: unknown };
    const query = typeof text === "string" ? text.slice(0, 1000) : "";
    const isClosed = () => reply.raw.destroyed;
    return sendLines(reply, searchMessages(hub, run, query, isClosed));
  });

  // Tokenizers are not pushed, so tokens are shown by their ids.
  app.get(`${data}/runs/:name/vocabulary`, async (request: RunRequest): Promise<string[]> => {
    await namedRun(request);
    return [];
  });

  app.get<{ Params: { run: string; name: string; file: string } }>(
    `${data}/runs/:name/media/:file`,
    async (request, reply) => {
      const { run } = await namedRun(request);
      const { file } = request.params;
      if (!isMediaFile(file)) throw notFound(`The file ${file} of the run ${run.id}`);
      const content = await readMedia(hub, run.id, file);
      const type = shownType(file);
      // Does not cache forever, although the name is the hash of the content: readers of the run may lose their permission.
      reply.headers({ "cache-control": "private, max-age=3600", ...mediaHeaders });
      if (type === undefined) reply.header("content-disposition", "attachment");
      return reply.type(type ?? "application/octet-stream").send(content);
    },
  );

  app.get<{ Params: { run: string; name: string; row: string } }>(
    `${data}/runs/:name/records/:row`,
    async (request) => {
      const { run } = await namedRun(request);
      const { row } = request.params;
      if (!/^\d{1,9}$/u.test(row)) throw notFound(`Rollout ${row} of the run ${run.id}`);
      return await readRow(hub, run.id, Number(row));
    },
  );
}

/** Sends values as JSON lines, at the reader's pace. */
function sendLines(reply: FastifyReply, values: AsyncIterable<unknown>): FastifyReply {
  async function* lines(): AsyncGenerator<string> {
    for await (const value of values) yield `${JSON.stringify(value)}\n`;
  }
  return reply.type("application/x-ndjson; charset=utf-8").send(Readable.from(lines()));
}
