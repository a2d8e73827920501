import Fastify, { type FastifyInstance, LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";

import { accessRoutes } from "./access/routes.ts";
import { accountApiRoutes } from "./accounts/api-routes.ts";
import { profileRoutes } from "./accounts/profile-routes.ts";
import { sweepHourly } from "./accounts/sweep.ts";
import { userRoutes } from "./accounts/user-routes.ts";
import { advisoryRoutes } from "./advisories/routes.ts";
import { describeApi } from "./api/openapi.ts";
import { referenceRoutes } from "./api/reference.ts";
import { readRoutes } from "./api/routes.ts";
import { approvalRoutes } from "./approvals/routes.ts";
import { attestationRoutes } from "./attestations/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { batchRoutes } from "./batch/routes.ts";
import { changeRoutes } from "./changes/routes.ts";
import { downloadRoutes } from "./downloads/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { takeEmptyJson } from "./http/empty-json.ts";
import { answerConnection, answerErrors, answerUnroutable } from "./http/errors.ts";
import { logAnswers, logger } from "./http/logging.ts";
import { limitRates } from "./http/rate-limit.ts";
import { tellTypes } from "./http/security-headers.ts";
import type { Hub } from "./hub.ts";
import { lifecycleRoutes } from "./lifecycle/routes.ts";
import { operationRoutes } from "./operations/routes.ts";
import { organisationApiRoutes } from "./organisations/api-routes.ts";
import { organisationRoutes } from "./organisations/routes.ts";
import { ownerRoutes } from "./owners/routes.ts";
import { pageRoutes } from "./pages/routes.tsx";
import { publishRoutes } from "./publish/routes.ts";
import { registryRoutes } from "./registry/routes.ts";
import { searchRoutes } from "./search/routes.ts";
import { signatureRoutes } from "./signatures/routes.ts";
import { stageRoutes } from "./stage/routes.ts";
import { starRoutes } from "./stars/routes.ts";
import { tagRoutes } from "./tags/routes.ts";
import { teamRoutes } from "./teams/routes.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { trustRoutes } from "./trusted-publishers/routes.ts";
import { unpublishRoutes } from "./unpublish/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** A route that is not there for this size of body gets 1 MiB; publishing has its own limit. */
const bodyLimit = 2 ** 20;
/** npm allows names of 214 characters; escaped, one character may take three. */
const maxParamLength = 700;

/** The HTTP application without its routes: what holds for each of them. */
export function bareApp({ settings }: Pick<Hub, "settings">): FastifyInstance {
  const app = Fastify({
    logger: logger(settings),
    // Two lines for each request; ours is one.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    // Without these, Fastify loads compilers for JSON Schema at the start.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    routerOptions: { maxParamLength, ignoreTrailingSlash: true },
    // A client that sends slower than this only holds a connection.
    requestTimeout: 60_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerConnection,
    ...(settings.HUB_TRUST_PROXY === undefined ? {} : { trustProxy: settings.HUB_TRUST_PROXY }),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  answerErrors(app);
  takeEmptyJson(app);
  if (["info", "debug"].includes(settings.HUB_LOG)) logAnswers(app);
  return app;
}

/** Every route of a hub, feature by feature. */
export async function registerRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  tellTypes(app);
  await limitRates(app, hub);
  sweepHourly(app, hub);
  await describeApi(app);
  app.get("/-/ping", () => ({}));
  accessRoutes(app, hub);
  accountApiRoutes(app, hub);
  advisoryRoutes(app, hub);
  approvalRoutes(app, hub);
  await attestationRoutes(app, hub);
  await auditRoutes(app, hub);
  batchRoutes(app, hub);
  changeRoutes(app, hub);
  downloadRoutes(app, hub);
  eventRoutes(app, hub);
  lifecycleRoutes(app, hub);
  operationRoutes(app, hub);
  organisationApiRoutes(app, hub);
  organisationRoutes(app, hub);
  ownerRoutes(app, hub);
  await pageRoutes(app, hub);
  profileRoutes(app, hub);
  publishRoutes(app, hub);
  readRoutes(app, hub);
  await referenceRoutes(app);
  registryRoutes(app, hub);
  searchRoutes(app, hub);
  signatureRoutes(app, hub);
  stageRoutes(app, hub);
  starRoutes(app, hub);
  tagRoutes(app, hub);
  teamRoutes(app, hub);
  tokenRoutes(app, hub);
  trustRoutes(app, hub);
  unpublishRoutes(app, hub);
  userRoutes(app, hub);
  webhookRoutes(app, hub);
}

/** Routes say with zod what they take and answer. */
function unused(): never {
  throw new Error("A route has a JSON Schema where a schema of zod should be.");
}
