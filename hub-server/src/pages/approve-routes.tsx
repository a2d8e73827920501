import type { FastifyInstance } from "fastify";

import { isCode } from "../identity/credentials/code.ts";
import {
  type Approval,
  decideApproval,
  waitingApproval,
} from "../identity/second-factor/approvals.ts";
import { visitorOf } from "../identity/sessions/visitor.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { Approve, needsCode } from "./approve.tsx";
import { fieldsOf, problemOf } from "./fields.ts";
import { sendPage } from "./page.tsx";
import { wrongCode } from "./sign-in-routes.tsx";
import { type SignedIn, signedIn, signedInForm } from "./signed-in.ts";

interface Code {
  Params: { readonly code: string };
  Querystring: { readonly create?: string };
}

/** Where a person decides what a command line may. */
export function approveRoutes(app: FastifyInstance, hub: Hub): void {
  app.get<Code>("/approve/:code", async (request, reply) => {
    if (request.query.create !== undefined && hub.settings.HUB_REGISTRATION === "open") {
      const { session } = await visitorOf(hub, request, reply);
      const next = encodeURIComponent(`/approve/${request.params.code}`);
      if (session === undefined) return reply.redirect(`/register?next=${next}`, 303);
    }
    const visitor = await signedIn(hub, request, reply);
    const approval = await approvalOf(hub, visitor, request.params.code);
    const children = <Approve visitor={visitor} approval={approval} />;
    return sendPage(reply, visitor, { title: titleOf(approval), children });
  });

  app.post<Code>("/approve/:code", async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const approval = await approvalOf(hub, visitor, request.params.code);
    const isApproved = fieldsOf(request, "decision").decision === "approve";
    try {
      await decide(hub, visitor, { approval, isApproved });
    } catch (error) {
      const { problem, status } = problemOf(error);
      const children = <Approve {...{ visitor, approval, problem }} />;
      return sendPage(reply, visitor, { title: titleOf(approval), status, children });
    }
    const title = isApproved ? "Approved" : "Denied";
    return sendPage(reply, visitor, { title, children: <p>{aftermath(isApproved)}</p> });
  });
}

async function approvalOf(hub: Hub, { session }: SignedIn, code: string): Promise<Approval> {
  const approval = await waitingApproval(hub.database, { code, now: hub.clock() });
  const isTheirs = approval?.purpose === "login" || approval?.user_id === session.user.id;
  if (approval !== undefined && isTheirs) return approval;
  throw new HubError("approval-over", {
    message:
      "Nothing waits under this code: it was decided, it is older than five minutes, or it is for another account. Run the command again.",
  });
}

async function decide(
  hub: Hub,
  visitor: SignedIn,
  { approval, isApproved }: { readonly approval: Approval; readonly isApproved: boolean },
): Promise<void> {
  const { session, request } = visitor;
  const userId = session.user.id;
  if (isApproved && needsCode(approval, visitor)) {
    const { code } = fieldsOf(request, "code");
    if (!(await isCode(hub, { userId, code, address: request.ip }))) throw wrongCode();
  }
  const state = isApproved ? "approved" : "denied";
  if (await decideApproval(hub.database, { id: approval.id, state, userId })) return;
  throw new HubError("approval-over", { status: 409, message: "This was decided a moment ago." });
}

function titleOf({ purpose }: Approval): string {
  return purpose === "login" ? "Log in a command line?" : "Approve a change?";
}

function aftermath(isApproved: boolean): string {
  return isApproved
    ? "The command line goes on by itself. You can close this page."
    : "The command line is told so. If you did not run it, somebody tried to use your account: look at your sessions and tokens in the settings.";
}
