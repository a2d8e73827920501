import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { requireIdentity } from "../../identity/request/identity.ts";
import { requireManager } from "../../identity/request/manager.ts";
import { requireOneTimePassword } from "../../identity/second-factor/second-factor.ts";
import { act, dismiss } from "../../moderation/act.ts";
import { decideAct } from "../../moderation/appeal.ts";
import { requireModerator } from "../../moderation/moderator.ts";
import {
  actsAbout,
  type DecidedAct,
  type NamedReport,
  reportsAbout,
} from "../../moderation/queue.ts";
import { requireTarget, type Target, targetPath } from "../../moderation/target.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { Radios, Select, TextArea } from "../layout/choices.tsx";
import { DateTime, Entry, NameLink } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm, PlainField } from "../layout/form.tsx";
import { FeedbackText } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { ActList, moderationPath } from "./queue.tsx";
import { reasonChoices, targetIn } from "./report.tsx";

const path = "/moderation/target";

/** Registers the page on which a moderator decides about a package, a version, a run or a user. */
export function targetPage(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path,
    notices: { decided: "Decided." },
    async show(visitor, reply, { status, ...feedback }) {
      const identity = await requireIdentity(hub, visitor.request);
      await requireModerator(hub.database, identity);
      const target = await requireTarget(hub.database, identity, targetIn(visitor.request));
      const reports = await reportsAbout(hub.database, target);
      const acts = await actsAbout(hub.database, target);
      return sendPage(reply, visitor, {
        title: target.subject,
        status,
        width: "text",
        children: (
          <>
            <FeedbackText {...feedback} />
            <p>
              <a href="/moderation">Moderation</a> · {target.kind}{" "}
              <NameLink href={targetPath(target)}>{target.subject}</NameLink>
            </p>
            <h2>Reports</h2>
            <Reports reports={reports} target={target} />
            <h2>Decisions</h2>
            <ActList acts={acts} />
            <CurrentAct act={acts.find(({ ended_at }) => ended_at === null)} target={target} />
            <NewAct target={target} />
            {target.kind === "package" && <ChooseVersion name={target.subject} />}
          </>
        ),
      });
    },
  });

  const decide = async (
    { request }: SignedInVisitor,
    work: (identity: Awaited<ReturnType<typeof requireManager>>) => Promise<void>,
  ): Promise<string> => {
    const identity = await requireManager(hub, request);
    if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
    await work(identity);
    return `${moderationPath(targetIn(request))}&done=decided`;
  };

  addForm("/dismiss", (visitor) =>
    decide(visitor, (identity) => dismiss(hub, identity, targetIn(visitor.request))),
  );
  addForm("/act", (visitor) =>
    decide(visitor, (identity) => {
      const { days, ...fields } = formFields(
        visitor.request,
        "act",
        "reason",
        "explanation",
        "days",
      );
      const until = /^\d{1,4}$/.test(days) ? Number(days) : undefined;
      return act(hub, identity, { ...targetIn(visitor.request), ...fields, days: until });
    }),
  );
  addForm("/answer", (visitor) =>
    decide(visitor, (identity) => {
      const { id, answer, decision } = formFields(visitor.request, "id", "answer", "decision");
      return decideAct(hub, identity, { id, answer, isGranted: decision === "end" });
    }),
  );
}

function TargetFields({ target: { kind, subject } }: { readonly target: Target }): ReactNode {
  return (
    <>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="name" value={subject} />
    </>
  );
}

function Reports({
  reports,
  target,
}: {
  readonly reports: readonly NamedReport[];
  readonly target: Target;
}): ReactNode {
  if (reports.length === 0) return <p>There are no reports about this {target.kind}.</p>;
  return (
    <>
      <ul className="list">
        {reports.map(({ id, reporter, reason, details, outcome, created_at }) => (
          <li key={id}>
            <Entry title={`${reason}, by ${reporter ?? "a deleted account"}`}>
              {outcome ?? "open"}, <DateTime date={created_at} />
            </Entry>
            <p className="prewrap">{details}</p>
          </li>
        ))}
      </ul>
      {reports.some(({ outcome }) => outcome === null) && (
        <CardForm action={`${path}/dismiss`}>
          <TargetFields target={target} />
          <p>Dismiss the open reports if the {target.kind} may stay as it is.</p>
          <button className="second">Dismiss the reports</button>
        </CardForm>
      )}
    </>
  );
}

function CurrentAct({
  act: current,
  target,
}: {
  readonly act: DecidedAct | undefined;
  readonly target: Target;
}): ReactNode {
  if (current === undefined) return null;
  const isAppealed = current.appeal !== null && current.appeal_outcome === null;
  return (
    <CardForm
      title={isAppealed ? "Answer the appeal" : "End the decision"}
      action={`${path}/answer`}
    >
      <TargetFields target={target} />
      <input type="hidden" name="id" value={current.id} />
      <p className="prewrap">{current.explanation}</p>
      {isAppealed && <p className="prewrap">Appeal: {current.appeal}</p>}
      {isAppealed && <TextArea label="Answer to the owner" name="answer" maxLength={4000} />}
      <div className="buttons">
        <button name="decision" value="end">
          End the {current.kind}
        </button>
        {isAppealed && (
          <button name="decision" value="refuse" className="second">
            Refuse the appeal
          </button>
        )}
      </div>
    </CardForm>
  );
}

const actChoices = {
  package: [
    {
      value: "quarantine",
      label: "Quarantine",
      hint: "Cannot be installed or changed. Its owners still read it.",
    },
    { value: "takedown", label: "Take down", hint: "Cannot be read. Its name stays reserved." },
  ],
  version: [{ value: "takedown", label: "Take down", hint: "Cannot be installed or read." }],
  run: [{ value: "takedown", label: "Take down", hint: "No board and no page shows it." }],
  user: [
    { value: "suspension", label: "Suspend", hint: "Ends sessions and tokens. Packages stay." },
  ],
} as const;

function NewAct({ target }: { readonly target: Target }): ReactNode {
  const { kind } = target;
  return (
    <CardForm title="Decide" action={`${path}/act`} danger>
      <TargetFields target={target} />
      <Radios label="Act" name="act" choices={actChoices[kind]} value={actChoices[kind][0].value} />
      <Select
        label="Reason, which everyone can read"
        name="reason"
        id="act-reason"
        choices={reasonChoices}
      />
      {kind === "user" && (
        <Select
          label="Length"
          name="days"
          choices={[
            { value: "1", label: "1 day" },
            { value: "7", label: "7 days" },
            { value: "30", label: "30 days" },
            { value: "", label: "Without end" },
          ]}
        />
      )}
      <TextArea
        label="Explanation, which only the owner and moderators read"
        name="explanation"
        required
        maxLength={4000}
      />
      <button className="danger">Decide</button>
    </CardForm>
  );
}

/** A form that opens the page of one version. */
function ChooseVersion({ name }: { readonly name: string }): ReactNode {
  return (
    <>
      <h2>Decide only about a version</h2>
      <form action={path} className="card">
        <input type="hidden" name="kind" value="version" />
        <PlainField label="Version" name="name" defaultValue={`${name}@`} maxLength={300} />
        <button className="second">Open the version</button>
      </form>
    </>
  );
}
