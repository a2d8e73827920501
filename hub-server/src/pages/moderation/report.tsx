import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import { requireIdentity } from "../../identity/request/identity.ts";
import { reasons } from "../../moderation/reasons.ts";
import { createReport } from "../../moderation/report.ts";
import { requireTarget, type TargetName, targetPath } from "../../moderation/target.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { Select, TextArea } from "../layout/choices.tsx";
import { NameLink } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { Form } from "../layout/form.tsx";
import { FeedbackText } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields } from "../layout/require-session.ts";
import { decisionsPath } from "./decisions.tsx";

/** Registers the page on which a user reports a package, a run or a user to the moderators. */
export function reportPage(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: "/report",
    notices: {},
    async show(visitor, reply, { status, ...feedback }) {
      const identity = await requireIdentity(hub, visitor.request);
      const target = await requireTarget(hub.database, identity, targetIn(visitor.request));
      const { kind, subject } = target;
      return sendPage(reply, visitor, {
        title: `Report ${subject}`,
        status,
        children: (
          <>
            <FeedbackText {...feedback} />
            <p>
              You report the {kind} <NameLink href={targetPath(target)}>{subject}</NameLink>. Only
              the moderators of this hub see the report and your name.
            </p>
            <Form action="/report">
              <input type="hidden" name="kind" value={kind} />
              <input type="hidden" name="name" value={subject} />
              <Select label="Reason" name="reason" choices={reasonChoices} />
              <TextArea
                label="What is wrong?"
                name="details"
                required
                maxLength={4000}
                hint="Name files, versions or rollouts that a moderator should look at."
              />
              <button>Send the report</button>
            </Form>
          </>
        ),
      });
    },
  });

  addForm("", async ({ request }) => {
    const identity = await requireIdentity(hub, request);
    const fields = formFields(request, "reason", "details");
    await createReport(hub, identity, { ...targetIn(request), ...fields });
    return `${decisionsPath}?done=sent`;
  });
}

/** The reasons of reports and acts, for a select. */
export const reasonChoices = reasons.map((value) => ({
  value,
  label: `${value.slice(0, 1).toUpperCase()}${value.slice(1)}`,
}));

/** A link to the report of a package, a run or a user. */
export function ReportLink({ kind, name }: TargetName): ReactNode {
  return (
    <a href={`/report?${new URLSearchParams({ kind, name }).toString()}`}>Report this {kind}</a>
  );
}

const text = z.string().max(300).catch("");
const query = z.object({ kind: text, name: text });

/** The target that a form or the address names. */
export function targetIn(request: FastifyRequest): TargetName {
  const { kind, name } = formFields(request, "kind", "name");
  return name === "" ? query.parse(request.query) : { kind, name };
}
