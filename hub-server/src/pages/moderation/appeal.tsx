import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ReactNode } from "react";

import { appealPath } from "../../identity/credentials/suspension.ts";
import { identify } from "../../identity/request/identity.ts";
import { formVisitor, type Visitor, visitorOf } from "../../identity/sessions/visitor.ts";
import { actForOwner, appeal } from "../../moderation/appeal.ts";
import type { Row } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { TextArea } from "../layout/choices.tsx";
import { DateTime, Facts } from "../layout/elements.tsx";
import { Form } from "../layout/form.tsx";
import { type Feedback, FeedbackText } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields, formProblem } from "../layout/require-session.ts";
import { actTitle, stateOf } from "./decisions.tsx";

interface ActRoute {
  Params: { readonly act: string };
}

/**
 * Registers the page on which an owner reads a decision and appeals once. A suspended user needs no session: the login
 * reveals the address.
 */
export function appealPage(app: FastifyInstance, hub: Hub): void {
  const show = async (
    {
      request,
      reply,
      visitor,
    }: { request: FastifyRequest<ActRoute>; reply: FastifyReply; visitor: Visitor },
    feedback: Feedback,
  ): Promise<FastifyReply> => {
    const act = await actForOwner(hub, await identify(hub, request), request.params.act);
    return sendPage(reply, visitor, {
      title: actTitle(act),
      width: "text",
      status: feedback.status,
      children: (
        <>
          <FeedbackText {...feedback} />
          <ActOfOwner act={act} />
        </>
      ),
    });
  };

  app.get<ActRoute>("/appeal/:act", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    return await show({ request, reply, visitor }, {});
  });

  app.post<ActRoute>("/appeal/:act", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { text } = formFields(request, "text");
    try {
      await appeal(hub, await identify(hub, request), { id: request.params.act, text });
    } catch (error) {
      return await show({ request, reply, visitor }, formProblem(error));
    }
    return await reply.redirect(appealPath(request.params.act), 303);
  });
}

function ActOfOwner({ act }: { readonly act: Row<"moderation_acts"> }): ReactNode {
  return (
    <>
      <Facts
        facts={[
          ["State", stateOf(act)],
          ["Reason", act.reason],
          ["Decided", <DateTime date={act.created_at} />],
          ["Until", act.until && <DateTime date={act.until} />],
          ["Explanation", <p className="prewrap">{act.explanation}</p>],
          ["Your appeal", act.appeal && <p className="prewrap">{act.appeal}</p>],
          ["Answer", act.appeal_answer && <p className="prewrap">{act.appeal_answer}</p>],
        ]}
      />
      {act.ended_at === null && act.appeal === null && (
        <>
          <h2>Appeal</h2>
          <p>
            You can appeal once. The moderator who decided cannot refuse the appeal; the answer of
            another moderator appears on this page.
          </p>
          <Form action={appealPath(act.id)}>
            <TextArea label="Why is the decision wrong?" name="text" required maxLength={4000} />
            <button>Send the appeal</button>
          </Form>
        </>
      )}
    </>
  );
}
