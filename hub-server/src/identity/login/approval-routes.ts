import type { FastifyInstance } from "fastify";

import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { clientName } from "../../platform/http/client-name.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { newSecret } from "../credentials/secret.ts";
import { approvalAddresses } from "../second-factor/approval-addresses.ts";
import {
  type Approval,
  createApproval,
  finishApproval,
  polledApproval,
} from "../second-factor/approvals.ts";
import { storePass } from "../second-factor/one-time-pass.ts";
import { loginToken } from "../tokens/tokens.ts";

/** The seconds that clients wait between polls. */
const retryAfter = "2";

/** Web logins: the client requests an approval, the user decides in the browser, and the client polls for the decision. */
export function approvalRoutes(app: FastifyInstance, hub: Hub): void {
  app.post("/-/v1/login", async (request) => {
    const asked = await createApproval(hub.database, {
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
    if (approval === undefined) throw approvalOver();
    if (approval.state === "denied")
      throw forbidden(
        "The request was denied in the browser. Run the command again if it was yours.",
      );
    if (approval.state === "waiting")
      return await reply.code(202).header("retry-after", retryAfter).send({});
    return { token: await issue(hub, approval) };
  });
}

/** Creates the approved token or pass now, so that the hub never stores it in plain text. */
async function issue(hub: Hub, { id, purpose, user_id, token_id, client }: Approval) {
  const now = hub.clock();
  return await hub.database.transaction().execute(async (database) => {
    if (user_id === null || !(await finishApproval(database, id))) throw approvalOver();
    if (purpose === "login") return await loginToken(database, { userId: user_id, client, now });
    if (token_id === null) throw approvalOver();
    const secret = newSecret();
    await storePass(database, { tokenId: token_id, secret, now, isUsed: false });
    return secret;
  });
}

function approvalOver(): HubError {
  return new HubError("approval-over", {
    message: "This approval was used already or has expired. Run the command again.",
  });
}
