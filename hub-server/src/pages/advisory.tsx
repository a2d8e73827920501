import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import { findAdvisories, type StoredAdvisory } from "../packages/advisories/advisories.ts";
import { notFound } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { Moment } from "./moment.tsx";
import { sendPage } from "./page.tsx";

const id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Where `npm audit` sends people: an advisory of a public package, to be read. */
export function advisoryPage(app: FastifyInstance, hub: Hub): void {
  app.get("/advisories/:id", async (request, reply) => {
    const { id: text } = request.params as { readonly id: string };
    const asked = id.safeParse(text);
    const [advisory] = asked.success
      ? await findAdvisories(hub.database, undefined, { id: asked.data })
      : [];
    if (advisory === undefined) throw notFound(`The advisory ${text}`);
    return sendPage(reply, undefined, {
      title: `${advisory.package}: ${advisory.title}`,
      children: <AdvisoryText advisory={advisory} />,
    });
  });
}

function AdvisoryText({ advisory }: { readonly advisory: StoredAdvisory }): ReactNode {
  const { overview, vulnerable_versions, patched_versions, withdrawn_at } = advisory;
  return (
    <>
      {withdrawn_at !== null && (
        <p role="status">
          This advisory was withdrawn on <Moment at={withdrawn_at} />.
        </p>
      )}
      <dl>
        <dt>Severity</dt>
        <dd>{advisory.severity}</dd>
        <dt>Versions</dt>
        <dd>
          <code>{vulnerable_versions}</code>
        </dd>
        <dt>Repaired in</dt>
        <dd>{patched_versions === null ? "no version" : <code>{patched_versions}</code>}</dd>
        <dt>Published</dt>
        <dd>
          <Moment at={advisory.created_at} />
          {advisory.author !== null && ` by ${advisory.author}`}
        </dd>
      </dl>
      {overview
        .split(/\n{2,}/)
        .filter((paragraph) => paragraph.trim() !== "")
        .map((paragraph, index) => (
          <p key={index}>{paragraph}</p>
        ))}
    </>
  );
}
