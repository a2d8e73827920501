import type { DeclaredRuns, PackageSummary, Run } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { organisationsOf } from "../../access/organisations/memberships.ts";
import { profileOf } from "../../api/profile.ts";
import { declaredRuns } from "../../evaluations/declarations/declared-runs.ts";
import { readRuns } from "../../evaluations/runs/read-runs.ts";
import { identify, type Identity } from "../../identity/request/identity.ts";
import { visitorOf } from "../../identity/sessions/visitor.ts";
import { listStarred } from "../../packages/stars/star.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { declaredText } from "../evaluation/texts.ts";
import { Day, TagLinks } from "../layout/elements.tsx";
import { sendPage } from "../layout/page.tsx";
import { ReportLink } from "../moderation/report.tsx";
import { PackageList, RunList } from "./lists.tsx";
import { managePath } from "./manage-user.tsx";

const maxRuns = 20;

/** Registers the page of a user: what the user has published, pushed and starred, as far as the visitor may see it. */
export function userPage(app: FastifyInstance, hub: Hub): void {
  app.get<{ Params: { readonly name: string } }>("/user/:name", async (request, reply) => {
    const { name } = request.params;
    const visitor = await visitorOf(hub, request, reply);
    const identity = await identify(hub, request);
    const profile = await profileOf(hub.database, { name, identity });
    if (profile === undefined) throw notFound(`The user ${name.slice(0, 100)}`);
    if (profile.kind === "organisation") return reply.redirect(`/org/${name}`, 308);
    const { fullName } = profile;
    const { database } = hub;
    const user: SeenUser = {
      ...profile,
      organisations: await visibleOrganisations(hub, name, identity),
      runs: await readRuns(database, identity, { owner: name }, { from: 0, limit: maxRuns }),
      declared: await declaredRuns(database, identity, { owner: name, now: hub.clock() }),
      starred: await listStarred(database, name, identity),
      isDeleted: await isDeletedUser(hub, name),
    };
    return sendPage(reply, visitor, {
      title: fullName === "" ? name : `${fullName} (${name})`,
      heading: fullName === "" ? name : fullName,
      width: "text",
      meta: { path: `/user/${name}`, description: `Packages and runs of ${name}.` },
      children: <UserView user={user} visitor={identity} />,
    });
  });
}

/** A user, as far as a visitor may see. */
interface SeenUser {
  readonly name: string;
  readonly createdAt: string;
  readonly packages: readonly PackageSummary[];
  readonly organisations: readonly string[];
  readonly runs: readonly Run[];
  readonly declared: readonly DeclaredRuns[];
  readonly starred: readonly string[];
  readonly isDeleted: boolean;
}

async function isDeletedUser({ database }: Hub, name: string): Promise<boolean> {
  const user = await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("name", "=", name)
    .where("deleted_at", "is not", null)
    .select("account_id")
    .executeTakeFirst();
  return user !== undefined;
}

/** The organisations of a user that a visitor may see: memberships are private to members of the same organisation. */
async function visibleOrganisations(
  { database }: Hub,
  userName: string,
  identity: Identity | undefined,
): Promise<readonly string[]> {
  if (identity === undefined) return [];
  const { id } = await database
    .selectFrom("accounts")
    .where("name", "=", userName)
    .select("id")
    .executeTakeFirstOrThrow();
  const names = (await organisationsOf(database, id)).map(({ name }) => name);
  if (identity.isAdmin || identity.userId === id) return names;
  const own = await organisationsOf(database, identity.userId);
  return names.filter((name) => own.some((organisation) => organisation.name === name));
}

function UserView({
  user: { name, createdAt, packages, organisations, runs, declared, starred, isDeleted },
  visitor,
}: {
  readonly user: SeenUser;
  readonly visitor: Pick<Identity, "name" | "isAdmin"> | undefined;
}): ReactNode {
  const isSelf = visitor?.name === name;
  return (
    <>
      <p className="quiet">
        <code>@{name}</code>, member since <Day date={new Date(createdAt)} />
        {isSelf && (
          <>
            {" · "}
            <a href="/settings">Edit your profile</a>
          </>
        )}
        {!isSelf && (
          <>
            {" · "}
            <ReportLink kind="user" name={name} />
          </>
        )}
        {visitor?.isAdmin === true && (
          <>
            {" · "}
            <a href={managePath(name)}>Manage the account</a>
          </>
        )}
      </p>
      {isDeleted && <p>This account was deleted. Its packages and runs stay.</p>}
      <TagLinks label="Organisations" names={organisations} hrefOf={(each) => `/org/${each}`} />
      <h2>Packages</h2>
      <PackageList
        packages={packages}
        label={`Packages of ${name}`}
        empty={isSelf ? <FirstPackage name={name} /> : <p>{name} has no public packages.</p>}
      />
      <h2>Runs</h2>
      {declared.length > 0 && <p className="quiet">{declaredText(sumOf(declared))}.</p>}
      <RunList
        runs={runs}
        empty={isSelf ? <FirstRun /> : <p>{name} has not pushed a run that you can see.</p>}
      />
      {starred.length > 0 && <h2>Stars</h2>}
      <TagLinks names={starred} hrefOf={(star) => `/package/${star}`} />
    </>
  );
}

function sumOf(
  rows: readonly DeclaredRuns[],
): Pick<DeclaredRuns, "declared" | "completed" | "open"> {
  const sum = (name: "declared" | "completed" | "open"): number =>
    rows.reduce((total, row) => total + row[name], 0);
  return { declared: sum("declared"), completed: sum("completed"), open: sum("open") };
}

/** Instructions for a user without packages. */
export function FirstPackage({ name }: { readonly name: string }): ReactNode {
  return (
    <>
      <p>
        Your scope <code>@{name}</code> has no packages yet.
      </p>
      <p>
        Name one <code>{`@${name}/…`}</code> and run <code>envs publish</code>:{" "}
        <a href="/docs/guides/publish-an-environment">how to publish an environment</a>.
      </p>
    </>
  );
}

/** Instructions for a user without runs. */
export function FirstRun(): ReactNode {
  return (
    <>
      <p>You have not pushed a run yet.</p>
      <p>
        Evaluate a model and push the result: <code>envs eval &lt;environment&gt; --push</code>
      </p>
    </>
  );
}
