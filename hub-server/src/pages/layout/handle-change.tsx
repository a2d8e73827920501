import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReactNode } from "react";

import { codeNeeded, confirmForm } from "../../identity/second-factor/second-factor.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { CodeField, Form, Notice, Problem } from "./form.tsx";
import { sendPage } from "./page.tsx";
import {
  formFields,
  formProblem,
  requireSessionForm,
  type SignedInVisitor,
} from "./require-session.ts";

/** The result of a submitted form. */
export interface Feedback {
  readonly notice?: string | undefined;
  readonly problem?: string | undefined;
  readonly status?: number | undefined;
}

/** After a change, the query contains the key of the page's notice. */
export interface DoneQuery {
  Querystring: { readonly done?: string };
}

/** The action of a submitted form. */
export interface FormChange {
  /** The path of the page that contains the form. */
  readonly page: string;
  /** Makes the change, and returns the key of the page's notice or the path to open then, or sends a page itself. */
  readonly work: (visitor: SignedInVisitor) => Promise<string | FastifyReply>;
  /** Sends the page of the form again, with the error. */
  readonly show: (visitor: SignedInVisitor, feedback: Feedback) => Promise<unknown>;
}

/** The name of the field for the code that confirms a change. */
const codeName = "code";

/**
 * Handles a submitted form. If the change needs a second factor, and the user has not entered a code within the last minutes,
 * sends a page that asks for one and submits the same fields again.
 */
export async function handleChange(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, work, show }: FormChange,
): Promise<unknown> {
  const visitor = await requireSessionForm(hub, request, reply, page);
  const { session } = visitor;
  const { [codeName]: code } = formFields(request, codeName);
  try {
    if (session.isFresh || !session.user.hasSecondFactor || code !== "")
      await confirmForm(hub, visitor, code);
    const result = await work(visitor);
    if (typeof result !== "string") return result;
    return await reply.redirect(result.startsWith("/") ? result : `${page}?done=${result}`, 303);
  } catch (error) {
    if (error instanceof HubError && (error.code === codeNeeded || error.code === "wrong-code")) {
      const problem = error.code === codeNeeded ? undefined : error.message;
      return sendPage(reply, visitor, {
        title: "Confirm with a code",
        status: error.status,
        children: <ConfirmChange {...{ visitor, page, problem }} />,
      });
    }
    return await show(visitor, formProblem(error));
  }
}

/** The notice or the error of a submitted form. */
export function FeedbackText({ notice, problem }: Feedback): ReactNode {
  return (
    <>
      <Notice text={notice} />
      <Problem text={problem} />
    </>
  );
}

function ConfirmChange({
  visitor,
  page,
  problem,
}: {
  readonly visitor: SignedInVisitor;
  readonly page: string;
  readonly problem: string | undefined;
}): ReactNode {
  const { request } = visitor;
  return (
    <>
      <Problem text={problem} />
      <div className="card">
        <p>
          You signed in more than five minutes ago. Confirm this change with a code. The hub then
          does not ask again for five minutes.
        </p>
        <Form action={request.url}>
          {submittedFields(request).map(([name, value], index) => (
            <input key={index} type="hidden" name={name} value={value} />
          ))}
          <CodeField hint="The six digits from your authenticator app, or a recovery code." />
          <div className="buttons">
            <button>Confirm</button>
            <a className="button second" href={page}>
              Cancel
            </a>
          </div>
        </Form>
      </div>
    </>
  );
}

/** The fields of the form, except its token and a wrong code. */
function submittedFields({ body }: FastifyRequest): readonly (readonly [string, string])[] {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" && name !== "form" && name !== codeName
      ? [[name, value] as const]
      : [],
  );
}
