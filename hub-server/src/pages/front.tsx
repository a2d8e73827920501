import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { statistics } from "../api/statistics.ts";
import { visitorOf } from "../identity/sessions/visitor.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { sendPage } from "./page.tsx";

/** The page at the hub's address: what stands here, and how to begin. */
export function frontRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const { environments, packages } = await statistics(hub.database);
    const origin = originOf(hub.settings, request);
    return sendPage(reply, visitor, {
      title: "A hub of environments",
      isWide: true,
      children: <Front {...{ environments, packages, origin }} />,
    });
  });
}

function Front({
  environments,
  packages,
  origin,
}: {
  readonly environments: number;
  readonly packages: number;
  readonly origin: string;
}): ReactNode {
  return (
    <>
      <p>
        A registry of reinforcement-learning environments for language models:{" "}
        {environments.toLocaleString("en")} of them, in {packages.toLocaleString("en")} public
        packages. npm, pnpm, Yarn and bun install from it.
      </p>
      <dl>
        <dt>Find</dt>
        <dd>
          <code>envs search --registry {origin}</code>
        </dd>
        <dt>Install</dt>
        <dd>
          <code>envs install &lt;environment&gt; --registry {origin}</code>
        </dd>
        <dt>Log in</dt>
        <dd>
          <code>envs login --registry {origin}</code>
        </dd>
      </dl>
      <p>
        <a href="/settings">Your account</a>: tokens, second factor, invitations.{" "}
        <a href="/api/reference">The hub&rsquo;s API</a>, for programs.
      </p>
    </>
  );
}
