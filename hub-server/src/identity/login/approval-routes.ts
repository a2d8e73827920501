import type { FastifyInstance } from "fastify";

import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { clientName } from "../../platform/http/client-name.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { newSecret } from "../credentials/secret.ts";
import { approvalAddresses } from "../second-factor/approval-addresses.ts";
import {
  type Approval,
  askApproval,
  finishApproval,
  polledApproval,
} from "../second-factor/approvals.ts";
import { keepPass } from "../second-factor/one-time-pass.ts";
import { loginToken } from "../tokens/login-token.ts";

/** Clients ask again after so many seconds. */
const retryAfter = "2";

/** Logins by the web: a command line asks, a person decides on a page, and the command line hears of it by asking again. */
export function approvalRoutes(app: FastifyInstance, hub: Hub): void {
  app.post("/-/v1/login", async (request) => {
    const asked = await askApproval(hub.database, {
      purpose: "login",
      client: clientName(request),
      address: request.ip,
      action: "log in",
      now: hub.clock(),
    });
    const { authUrl, doneUrl } = approvalAddresses(originOf(hub.settings, request), asked);
    const isNew = (request.body as { readonly create?: unknown } | null)?.create === true;
    return { loginUrl: isNew ? `${authUrl}?create` : authUrl, doneUrl, code: asked.code };
  });

  app.get<{ Params: { secret: string } }>("/-/v1/done/:secret", async (request, reply) => {
    void reply.header("cache-control", "no-store");
    const { secret } = request.params;
    const approval = await polledApproval(hub.database, { secret, now: hub.clock() });
    if (approval === undefined) throw over();
    if (approval.state === "denied")
      throw forbidden("This was denied in the browser. Run the command again if it was yours.");
    if (approval.state === "waiting")
      return await reply.code(202).header("retry-after", retryAfter).send({});
    return { token: await handOut(hub, approval) };
  });
}

/** What was approved is made only here, for the one who polls: it is never kept in clear. */
async function handOut(hub: Hub, { id, purpose, user_id, token_id, client }: Approval) {
  const now = hub.clock();
  return await hub.database.transaction().execute(async (database) => {
    if (user_id === null || !(await finishApproval(database, id))) throw over();
    if (purpose === "login") return await loginToken(database, { userId: user_id, client, now });
    if (token_id === null) throw over();
    const secret = newSecret();
    await keepPass(database, { tokenId: token_id, secret, now, isUsed: false });
    return secret;
  });
}

function over(): HubError {
  return new HubError("approval-over", {
    message: "This is over: it was used, or nobody approved it in time. Run the command again.",
  });
}
