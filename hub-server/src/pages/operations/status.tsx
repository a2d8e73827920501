import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { statistics } from "../../api/statistics.ts";
import { userOf } from "../../identity/sessions/visitor.ts";
import { checkServices, type Health } from "../../platform/hub/health.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Entry, Facts } from "../layout/elements.tsx";
import { sendPage } from "../layout/page.tsx";

type Statistics = Awaited<ReturnType<typeof statistics>>;

/** Serves the page that shows users whether the hub works. Programs ask /readyz. */
export function statusPage(app: FastifyInstance, hub: Hub): void {
  app.get("/status", async (request, reply) => {
    const health = await checkServices(hub);
    // Reads the database, and must not fail with it.
    const visitor = health.database ? await userOf(hub, request, reply) : undefined;
    const numbers = health.database ? await statistics(hub) : undefined;
    const isServing = health.database && health.blobs;
    return sendPage(reply, visitor, {
      title: "Status",
      heading: summaryOf(health),
      width: "text",
      status: isServing ? 200 : 503,
      meta: { path: "/status", description: "Whether this hub works, and how much it serves." },
      children: <Status {...{ health, numbers, now: hub.clock() }} />,
    });
  });
}

function summaryOf({ database, blobs, space }: Health): string {
  if (!database || !blobs) return "The hub cannot serve packages";
  return space ? "Everything works" : "The hub accepts no changes";
}

function Status({
  health: { database, blobs, space },
  numbers,
  now,
}: {
  readonly health: Health;
  readonly numbers: Statistics | undefined;
  readonly now: Date;
}): ReactNode {
  return (
    <>
      <p className="quiet">
        Checked on <DateTime date={now} />. Reload the page to check again.
      </p>
      <ul className="list">
        <Service name="Database" works={database}>
          Accounts, versions, search and evaluations.
        </Service>
        <Service name="Package storage" works={blobs}>
          The tarballs that npm, pnpm, Yarn and bun download.
        </Service>
        <Service name="Space for changes" works={space}>
          Publishing needs free space on the disk; downloads do not.
        </Service>
      </ul>
      {numbers !== undefined && (
        <Facts
          facts={Object.entries(labels).map(([name, label]) => [
            label,
            numbers[name as keyof Statistics].toLocaleString("en"),
          ])}
        />
      )}
      <p className="small quiet">
        Programs read <a href="/readyz">/readyz</a> and <a href="/api/v1/stats">the numbers</a> as
        JSON. The routes are in the <a href="/api/reference">API reference</a>.
      </p>
    </>
  );
}

const labels: Readonly<Record<keyof Statistics, string>> = {
  environments: "Environments",
  packages: "Public packages",
  versions: "Versions",
  downloads: "Downloads",
  accounts: "Accounts",
};

function Service({
  name,
  works,
  children,
}: {
  readonly name: string;
  readonly works: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <li>
      <Entry title={name}>{children}</Entry>
      <span className={`tag ${works ? "good" : "danger"}`}>{works ? "Works" : "Unavailable"}</span>
    </li>
  );
}
