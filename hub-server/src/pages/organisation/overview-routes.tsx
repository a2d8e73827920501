import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { profileOf } from "../../api/profile.ts";
import { readLog } from "../../events/read-log.ts";
import { identify } from "../../identity/request/identity.ts";
import { visitorOf } from "../../identity/sessions/visitor.ts";
import { storageUse } from "../../packages/publish/quota.ts";
import { stagedPage } from "../../packages/stage/staged.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { PackageList } from "../account/lists.tsx";
import { StagedList } from "../account/staged-list.tsx";
import { Day } from "../layout/elements.tsx";
import { beforeOf, EventLog } from "../layout/event-log.tsx";
import { requireSession } from "../layout/require-session.ts";
import { StorageText } from "../moderation/quotas.tsx";
import {
  organisationOfMember,
  type SeenOrganisation,
  seenOrganisation,
  sendOrganisation,
} from "./organisation-page.tsx";

/** Registers the page of an organisation that everyone may see: its packages. */
export function organisationOverview(app: FastifyInstance, hub: Hub): void {
  app.get<{ Params: { readonly name: string } }>("/org/:name", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const identity = await identify(hub, request);
    const { name } = request.params;
    const organisation = await seenOrganisation(hub, identity, name);
    const profile = await profileOf(hub.database, { name, identity });
    const packages = profile?.packages ?? [];
    const use = organisation.isMember
      ? await storageUse(hub.database, hub.settings, organisation.id)
      : undefined;
    return sendOrganisation(reply, visitor, {
      organisation,
      section: "",
      meta: { path: organisation.path, description: `Packages of the organisation ${name}.` },
      children: (
        <>
          <p className="quiet">
            Organisation, created on <Day date={organisation.createdAt} />.
          </p>
          <StorageText use={use} />
          <h2>Packages</h2>
          <PackageList
            packages={packages}
            label={`Packages of ${name}`}
            empty={<NoPackages organisation={organisation} />}
          />
        </>
      ),
    });
  });
}

function NoPackages({
  organisation: { name, isMember },
}: {
  readonly organisation: SeenOrganisation;
}): ReactNode {
  if (!isMember) return <p>{name} has no public packages.</p>;
  return (
    <>
      <p>{name} has no packages yet.</p>
      <p>
        Name a package <code>{`@${name}/…`}</code> and run <code>envs publish</code>.{" "}
        <a href="/docs/guides/publish-an-environment">Publish an environment</a>
      </p>
    </>
  );
}

/** Registers the log of an organisation's members and teams. Every member may read it. */
export function logRoutes(app: FastifyInstance, hub: Hub): void {
  app.get<{ Params: { readonly name: string } }>("/org/:name/log", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { name } = request.params;
    const { organisation } = await organisationOfMember(hub, request, name);
    const log = await readLog(hub.database, { account: name }, beforeOf(request));
    return sendOrganisation(reply, visitor, {
      organisation,
      section: "/log",
      title: "Log",
      children: (
        <>
          <p className="quiet">
            Administrators of this hub may change members and teams. Each change is in this log.
          </p>
          <EventLog path={`${organisation.path}/log`} log={log} />
        </>
      ),
    });
  });
}

const perPage = 100;

/** Registers the page that lists the staged versions of an organisation's packages, as far as the visitor may see them. */
export function stagedRoutes(app: FastifyInstance, hub: Hub): void {
  app.get<{ Params: { readonly name: string } }>("/org/:name/staged", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { name } = request.params;
    const { identity, organisation } = await organisationOfMember(hub, request, name);
    const { items } = await stagedPage(hub.database, identity, { scope: name, page: 0, perPage });
    return sendOrganisation(reply, visitor, {
      organisation,
      section: "/staged",
      title: "Staged versions",
      children: <StagedList items={items} />,
    });
  });
}
