import Fastify from "fastify";
import { type FastifyInstance, LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";

import { organisationApiRoutes } from "./access/organisations/api-routes.ts";
import { organisationRoutes } from "./access/organisations/routes.ts";
import { teamRoutes } from "./access/organisations/team-routes.ts";
import { maintainerRoutes } from "./access/package-access/maintainer-routes.ts";
import { accessRoutes } from "./access/package-access/routes.ts";
import { trustRoutes } from "./access/trusted-publishers/routes.ts";
import { describeApi, referenceRoutes } from "./api/openapi.ts";
import { readRoutes } from "./api/routes.ts";
import { runReadRoutes } from "./evaluations/read-routes.ts";
import { runUploadRoutes } from "./evaluations/upload-routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { profileRoutes } from "./identity/accounts/profile-routes.ts";
import { accountApiRoutes } from "./identity/accounts/routes.ts";
import { approvalRoutes } from "./identity/login/approval-routes.ts";
import { userRoutes } from "./identity/login/user-routes.ts";
import { renderMail } from "./identity/mail/render-mail.ts";
import { tokenRoutes } from "./identity/tokens/routes.ts";
import { connectionRoute } from "./operations/connection-route.ts";
import { operationRoutes } from "./operations/routes.ts";
import { sweepHourly } from "./operations/sweep.ts";
import { advisoryRoutes } from "./packages/advisories/routes.ts";
import { attestationRoutes } from "./packages/attestations/routes.ts";
import { lifecycleRoutes } from "./packages/lifecycle/routes.ts";
import { batchRoutes } from "./packages/publish/batch-routes.ts";
import { signatureRoutes } from "./packages/signatures/routes.ts";
import { stageRoutes } from "./packages/stage/routes.ts";
import { starRoutes } from "./packages/stars/routes.ts";
import { tagRoutes } from "./packages/tags/routes.ts";
import { unpublishRoutes } from "./packages/unpublish/routes.ts";
import { documentationRoutes } from "./pages/docs/routes.ts";
import { pageRoutes } from "./pages/routes.tsx";
import {
  handleClientError,
  handleErrors,
  handleRoutingError,
} from "./platform/http/error-responses.ts";
import { parseJsonBodies } from "./platform/http/json-body.ts";
import { logger, logResponses } from "./platform/http/logging.ts";
import { limitRates } from "./platform/http/rate-limit.ts";
import { disableSniffing } from "./platform/http/security-headers.ts";
import type { Hub } from "./platform/hub/hub.ts";
import { sendMails } from "./platform/mail/send-mails.ts";
import { auditRoutes } from "./registry/audit/routes.ts";
import { documentRevisionRoutes, publishRoutes } from "./registry/documents/routes.ts";
import { downloadRoutes } from "./registry/downloads/routes.ts";
import { registryRoutes } from "./registry/routes.ts";
import { rescoringRoutes } from "./rescoring/routes.ts";
import { superviseReplays } from "./rescoring/supervisor.ts";
import { playRoutes, supervisePlays } from "./runner/routes.ts";
import { searchRoutes } from "./search/routes.ts";
import { followMirrors } from "./upstream/mirror.ts";

/** 1 MiB. Routes that need more, such as publishing, set their own limit. */
const bodyLimit = 2 ** 20;
/** npm allows package names of 214 characters; percent-encoding may triple the length. */
const maxParamLength = 700;

/** Creates the HTTP application without routes: logging, limits, timeouts, body parsing and error responses. */
export function bareApp({ settings }: Pick<Hub, "settings">): FastifyInstance {
  const app = Fastify({
    logger: logger(settings),
    // Fastify would log two lines for each request; `logResponses` logs one.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    // Otherwise, Fastify loads its JSON Schema compilers at the start, which routes with zod schemas do not use.
    schemaController: {
      compilersFactory: { buildValidator: rejectJsonSchema, buildSerializer: rejectJsonSchema },
    },
    routerOptions: { maxParamLength, ignoreTrailingSlash: true },
    // Closes the connections of clients that send too slowly.
    requestTimeout: 60_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    frameworkErrors: handleRoutingError,
    clientErrorHandler: handleClientError,
    ...(settings.HUB_TRUST_PROXY === undefined ? {} : { trustProxy: settings.HUB_TRUST_PROXY }),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  handleErrors(app);
  parseJsonBodies(app);
  if (["info", "debug"].includes(settings.HUB_LOG)) logResponses(app);
  return app;
}

/** Registers every route of the hub. */
export async function registerRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  disableSniffing(app);
  await limitRates(app, hub);
  sweepHourly(app, hub);
  followMirrors(app, hub);
  superviseReplays(app, hub);
  sendMails(app, hub, (mail) => renderMail(hub, mail));
  supervisePlays(app, hub);
  await describeApi(app);
  app.get("/-/ping", () => ({}));
  accessRoutes(app, hub);
  accountApiRoutes(app, hub);
  advisoryRoutes(app, hub);
  approvalRoutes(app, hub);
  await attestationRoutes(app, hub);
  await auditRoutes(app, hub);
  batchRoutes(app, hub);
  documentRevisionRoutes(app, hub);
  await documentationRoutes(app);
  connectionRoute(app);
  downloadRoutes(app, hub);
  eventRoutes(app, hub);
  lifecycleRoutes(app, hub);
  operationRoutes(app, hub);
  organisationApiRoutes(app, hub);
  organisationRoutes(app, hub);
  maintainerRoutes(app, hub);
  await pageRoutes(app, hub);
  playRoutes(app, hub);
  profileRoutes(app, hub);
  publishRoutes(app, hub);
  readRoutes(app, hub);
  referenceRoutes(app);
  registryRoutes(app, hub);
  rescoringRoutes(app, hub);
  searchRoutes(app, hub);
  signatureRoutes(app, hub);
  stageRoutes(app, hub);
  starRoutes(app, hub);
  tagRoutes(app, hub);
  teamRoutes(app, hub);
  tokenRoutes(app, hub);
  trustRoutes(app, hub);
  unpublishRoutes(app, hub);
  runReadRoutes(app, hub);
  await runUploadRoutes(app, hub);
  userRoutes(app, hub);
}

function rejectJsonSchema(): never {
  throw new Error(
    "A route has a JSON Schema. Describe its requests and responses with zod schemas.",
  );
}
