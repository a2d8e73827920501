import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { isCode, wrongCode } from "../../identity/credentials/code.ts";
import {
  type Approval,
  decideApproval,
  waitingApproval,
} from "../../identity/second-factor/approvals.ts";
import { visitorOf } from "../../identity/sessions/visitor.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Facts } from "../layout/elements.tsx";
import { CodeField, Form, Problem } from "../layout/form.tsx";
import { sendPage } from "../layout/page.tsx";
import {
  formFields,
  formProblem,
  requireSession,
  requireSessionForm,
  type SignedInVisitor,
} from "../layout/require-session.ts";

interface ApprovalRoute {
  Params: { readonly code: string };
  Querystring: { readonly create?: string };
}

/** Registers the page on which a user approves or denies a login or a change of a command-line client. */
export function approveRoutes(app: FastifyInstance, hub: Hub): void {
  app.get<ApprovalRoute>("/approve/:code", async (request, reply) => {
    if (request.query.create !== undefined && hub.settings.HUB_REGISTRATION === "open") {
      const { session } = await visitorOf(hub, request, reply);
      const next = encodeURIComponent(`/approve/${request.params.code}`);
      if (session === undefined) return reply.redirect(`/register?next=${next}`, 303);
    }
    const visitor = await requireSession(hub, request, reply);
    const approval = await approvalOf(hub, visitor, request.params.code);
    const children = <Approve visitor={visitor} approval={approval} />;
    return sendPage(reply, visitor, { title: titleOf(approval), children });
  });

  app.post<ApprovalRoute>("/approve/:code", async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const approval = await approvalOf(hub, visitor, request.params.code);
    const isApproved = formFields(request, "decision").decision === "approve";
    try {
      await decide(hub, visitor, { approval, isApproved });
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <Approve {...{ visitor, approval, problem }} />;
      return sendPage(reply, visitor, { title: titleOf(approval), status, children });
    }
    const title = isApproved ? "Approved" : "Denied";
    return sendPage(reply, visitor, { title, children: <p>{outcome(isApproved)}</p> });
  });
}

async function approvalOf(hub: Hub, { session }: SignedInVisitor, code: string): Promise<Approval> {
  const approval = await waitingApproval(hub.database, { code, now: hub.clock() });
  const isOwn = approval?.purpose === "login" || approval?.user_id === session.user.id;
  if (approval !== undefined && isOwn) return approval;
  throw new HubError("approval-over", {
    message:
      "No pending request has this code: it was approved or denied, it expired after five minutes, or it is for another account. Run the command again.",
  });
}

async function decide(
  hub: Hub,
  visitor: SignedInVisitor,
  { approval, isApproved }: { readonly approval: Approval; readonly isApproved: boolean },
): Promise<void> {
  const { session, request } = visitor;
  const userId = session.user.id;
  if (isApproved && needsCode(approval, visitor)) {
    const { code } = formFields(request, "code");
    if (!(await isCode(hub, { userId, code, address: request.ip }))) throw wrongCode();
  }
  const state = isApproved ? "approved" : "denied";
  if (await decideApproval(hub.database, { id: approval.id, state, userId })) return;
  throw new HubError("approval-over", {
    status: 409,
    message: "This request was already approved or denied.",
  });
}

function titleOf({ purpose }: Approval): string {
  return purpose === "login" ? "Approve this login?" : "Approve this change?";
}

function outcome(isApproved: boolean): string {
  return isApproved
    ? "The command continues in your terminal. You can close this page."
    : "The command was denied. If you did not run it, another person may have tried to use your account: check the sessions and tokens in your settings.";
}

/** Shows the client, the requested action and a code to compare with the terminal, and asks to approve or deny. */
function Approve({
  visitor,
  approval,
  problem,
}: {
  readonly visitor: SignedInVisitor;
  readonly approval: Approval;
  readonly problem?: string | undefined;
}): ReactNode {
  const { code, purpose, client, address, action, created_at } = approval;
  const { user } = visitor.session;
  const isLogin = purpose === "login";
  return (
    <>
      <Problem text={problem} />
      <div className="card">
        <p>Does your terminal show this code?</p>
        <p className="code">{code}</p>
        <p>
          npm, pnpm and Yarn print the code at the end of the URL. Deny the request if the codes
          differ or if you did not just run a command.
        </p>
        <Facts
          facts={[
            ["Client", client],
            ["IP address", address],
            ["Requested", <DateTime date={created_at} />],
            ["Action", isLogin ? undefined : action],
            ["User", user.name],
          ]}
        />
        <Form action={`/approve/${code}`}>
          {needsCode(approval, visitor) && (
            <CodeField hint="The six digits from your authenticator app." />
          )}
          <div className="buttons">
            <button name="decision" value="approve">
              Approve
            </button>
            <button name="decision" value="deny" className="second" formNoValidate>
              Deny
            </button>
          </div>
        </Form>
      </div>
    </>
  );
}

/** Whether the user must enter a code: to approve a change with a second factor, unless the user entered one recently. */
function needsCode({ purpose }: Pick<Approval, "purpose">, { session }: SignedInVisitor): boolean {
  return purpose === "otp" && session.user.hasSecondFactor && !session.isFresh;
}
