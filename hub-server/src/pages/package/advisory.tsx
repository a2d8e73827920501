import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import { identify } from "../../identity/request/identity.ts";
import { visitorOf } from "../../identity/sessions/visitor.ts";
import { findAdvisories, type StoredAdvisory } from "../../packages/advisories/advisories.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Facts, NameLink } from "../layout/elements.tsx";
import { sendPage } from "../layout/page.tsx";
import { packagePath } from "./package-view.ts";

const id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The class of a severity's tag. */
export const severityTag: Readonly<Record<StoredAdvisory["severity"], string>> = {
  info: "tag",
  low: "tag warn",
  moderate: "tag warn",
  high: "tag danger",
  critical: "tag danger",
};

/** Registers the page of an advisory, for the readers of its package. `npm audit` links to it. */
export function advisoryPage(app: FastifyInstance, hub: Hub): void {
  app.get("/advisories/:id", async (request, reply) => {
    const { id: text } = request.params as { readonly id: string };
    const visitor = await visitorOf(hub, request, reply);
    const identity = await identify(hub, request);
    const parsed = id.safeParse(text);
    const [advisory] = parsed.success
      ? await findAdvisories(hub.database, identity, { id: parsed.data })
      : [];
    if (advisory === undefined) throw notFound(`The advisory ${text.slice(0, 50)}`);
    const { title, access } = advisory;
    return sendPage(reply, visitor, {
      title: `${advisory.package}: ${title}`,
      heading: title,
      width: "text",
      meta: { path: `/advisories/${advisory.id}`, isIndexed: access === "public" },
      children: <AdvisoryText advisory={advisory} />,
    });
  });
}

function AdvisoryText({ advisory }: { readonly advisory: StoredAdvisory }): ReactNode {
  const { overview, vulnerable_versions, patched_versions, withdrawn_at } = advisory;
  return (
    <>
      <p>
        <NameLink href={packagePath(advisory.package)}>{advisory.package}</NameLink>{" "}
        <span className={severityTag[advisory.severity]}>{advisory.severity}</span>
      </p>
      {withdrawn_at !== null && (
        <p className="notice" role="status">
          This advisory was withdrawn on <DateTime date={withdrawn_at} />.
        </p>
      )}
      <Facts
        facts={[
          ["Affected versions", <code>{vulnerable_versions}</code>],
          [
            "Fixed in",
            patched_versions === null ? "not fixed yet" : <code>{patched_versions}</code>,
          ],
          ["Published", <Published {...advisory} />],
          ["Weaknesses", advisory.cwe.length === 0 ? undefined : advisory.cwe.join(", ")],
        ]}
      />
      {overview
        .split(/\n{2,}/)
        .filter((paragraph) => paragraph.trim() !== "")
        .map((paragraph, index) => (
          <p key={index}>{paragraph}</p>
        ))}
    </>
  );
}

function Published({ created_at, author }: StoredAdvisory): ReactNode {
  return (
    <>
      <DateTime date={created_at} />
      {author !== null && (
        <>
          {" by "}
          <a href={`/user/${author}`}>{author}</a>
        </>
      )}
    </>
  );
}
