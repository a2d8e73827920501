import { routes, runLimits } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { requireWriter } from "../identity/request/identity.ts";
import { requireSecondFactorFor } from "../identity/second-factor/second-factor.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { declareRun } from "./declarations/declare-run.ts";
import { deleteRun } from "./runs/change-run.ts";
import { completeUpload } from "./upload/complete-upload.ts";
import { createUpload } from "./upload/create-upload.ts";
import { storePart } from "./upload/store-part.ts";
import {
  type OwnRun,
  requireOwnRun,
  requirePushRight,
  uploadStateOf,
} from "./upload/upload-rights.ts";

/** Registers the routes that declare, upload, complete and delete runs. */
export async function runUploadRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  const { database, settings } = hub;

  apiRoute(app, routes.declareRun, async ({ body, request }) => {
    const identity = await requireWriter(hub, request);
    const package_ = await requirePushRight(database, identity, body.package);
    await requireSecondFactorFor(hub, request, identity, package_);
    const { id, seed, expires_at } = await declareRun(hub, { identity, package: package_ }, body);
    return { id, seed, expiresAt: expires_at.toISOString() };
  });

  apiRoute(app, routes.createRun, async ({ body, request }) => {
    const identity = await requireWriter(hub, request);
    const package_ = await requirePushRight(database, identity, body.package);
    await requireSecondFactorFor(hub, request, identity, package_);
    const id = await createUpload(hub, { identity, package: package_ }, body);
    const { run } = await requireOwnRun(hub, request, id);
    return await uploadStateOf(database, run, originOf(settings, request));
  });

  apiRoute(app, routes.completeRun, async ({ params, request }) => {
    const { run, identity } = await requireOwnRun(hub, request, params.run);
    await completeUpload(hub, { id: run.id, actor: identity.name });
    return await uploadStateOf(
      database,
      { ...run, state: "complete" },
      originOf(settings, request),
    );
  });

  apiRoute(app, routes.deleteRun, async ({ params, request }) => {
    const { run, identity, package: package_ } = await requireOwnRun(hub, request, params.run);
    await requireSecondFactorFor(hub, request, identity, package_);
    await deleteRun(hub, run.id, identity.name);
    return { id: run.id };
  });

  await app.register(async (uploads) => {
    uploads.addContentTypeParser(
      "application/gzip",
      { parseAs: "buffer" },
      (_request, body, done) => done(null, body),
    );
    const owned = new WeakMap<object, OwnRun>();
    apiRoute(
      uploads,
      routes.uploadRunPart,
      async ({ params: { part }, body, request }) => {
        const own = owned.get(request);
        if (own === undefined) throw new Error("The route lacks its onRequest.");
        await storePart(hub, own, { index: part, body });
        return await uploadStateOf(database, own.run, originOf(settings, request));
      },
      {
        // Compression enlarges an incompressible part by a few bytes.
        bodyLimit: runLimits.partBytes + 64 * 1024,
        async onRequest(request) {
          const { run } = request.params as { readonly run: string };
          owned.set(request, await requireOwnRun(hub, request, run));
        },
      },
    );
  });
}
