import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import {
  packagesOfUser,
  type PermissionsByName,
} from "../../access/permissions/permission-holders.ts";
import { readRuns } from "../../evaluations/runs/read-runs.ts";
import { requireIdentity } from "../../identity/request/identity.ts";
import { storageUse } from "../../packages/publish/quota.ts";
import { listStarred } from "../../packages/stars/star.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { Entry, NameLink } from "../layout/elements.tsx";
import { requireSession } from "../layout/require-session.ts";
import { StorageText } from "../moderation/quotas.tsx";
import { RunList } from "./lists.tsx";
import { sendSettings } from "./settings.tsx";
import { FirstPackage, FirstRun } from "./user-page.tsx";

const maxRuns = 100;

/** Registers the settings that list what belongs to the user: packages, stars and runs. */
export function ownLists(app: FastifyInstance, hub: Hub): void {
  app.get("/settings/packages", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const identity = await requireIdentity(hub, request);
    const { userId, name } = identity;
    const packages = await packagesOfUser(hub.database, { userId, identity });
    const use = await storageUse(hub.database, hub.settings, userId);
    const children = (
      <>
        <StorageText use={use} />
        <OwnPackages {...{ name, packages }} />
      </>
    );
    return sendSettings(reply, visitor, { section: "/settings/packages", children });
  });

  app.get("/settings/stars", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const identity = await requireIdentity(hub, request);
    const names = await listStarred(hub.database, identity.name, identity);
    const children = <Stars names={names} />;
    return sendSettings(reply, visitor, { section: "/settings/stars", children });
  });

  app.get("/settings/runs", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const identity = await requireIdentity(hub, request);
    const page = { from: 0, limit: maxRuns };
    const runs = await readRuns(hub.database, identity, { owner: identity.name }, page);
    const children = <RunList runs={runs} empty={<FirstRun />} />;
    return sendSettings(reply, visitor, { section: "/settings/runs", children });
  });
}

function OwnPackages({
  name: userName,
  packages,
}: {
  readonly name: string;
  readonly packages: PermissionsByName;
}): ReactNode {
  const entries = Object.entries(packages);
  if (entries.length === 0)
    return (
      <div className="empty">
        <FirstPackage name={userName} />
      </div>
    );
  return (
    <>
      <p className="quiet">Packages that you own or maintain, and those of your teams.</p>
      <ul className="list" aria-label="Your packages">
        {entries.map(([name, permission]) => (
          <li key={name}>
            <Entry title={name} href={`/package/${name}`} isName>
              {permission === "write" ? "You may publish" : "You may read"}
            </Entry>
            {permission === "write" && (
              <a href={`/package/${name}/settings`} aria-label={`Settings of ${name}`}>
                Settings
              </a>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Stars({ names }: { readonly names: readonly string[] }): ReactNode {
  if (names.length === 0)
    return (
      <div className="empty">
        <p>You have not starred a package yet.</p>
        <p>
          <a href="/search">Search environments</a>, and star those that you want to find again.
        </p>
      </div>
    );
  return (
    <ul className="list" aria-label="Your stars">
      {names.map((name) => (
        <li key={name}>
          <NameLink href={`/package/${name}`}>{name}</NameLink>
        </li>
      ))}
    </ul>
  );
}
