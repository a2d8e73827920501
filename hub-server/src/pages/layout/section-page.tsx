import type { FastifyReply } from "fastify";
import type { ReactNode } from "react";

import type { Visitor } from "../../identity/sessions/visitor.ts";
import { type Feedback, FeedbackText } from "./handle-change.tsx";
import { sendPage } from "./page.tsx";

/** A link to a section: its path and its label. */
export type SectionLink = readonly [path: string, label: string];

/** A page with a list of sections beside its content. */
interface SectionContent extends Feedback {
  /** The name of the list, for screen readers. */
  readonly label: string;
  /** The groups of sections, in order. */
  readonly groups: readonly (readonly SectionLink[])[];
  /** The path of the current section. */
  readonly section: string;
  /** Default: the label of the section. */
  readonly title?: string | undefined;
  /** Precedes the list, such as a link to the subject of the settings. */
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

/** Sends a page of one of several sections, such as the settings. */
export function sendSection(
  reply: FastifyReply,
  visitor: Visitor,
  content: SectionContent,
): FastifyReply {
  const { label, groups, section, above, children, status } = content;
  const current = groups.flat().find(([path]) => path === section);
  const title = content.title ?? current?.[1] ?? label;
  const lists = groups.map((links) => (
    <ul key={links[0]?.[0]}>
      {links.map(([path, text]) => (
        <li key={path}>
          <a href={path} aria-current={path === section ? "page" : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  ));
  return sendPage(reply, visitor, {
    title: `${title} · ${label}`,
    heading: null,
    status,
    width: "wide",
    children: (
      <div className="sections">
        <nav className="section-list" aria-label={label}>
          {above}
          {lists}
        </nav>
        <nav className="section-menu" aria-label={label}>
          {above}
          <details>
            <summary>
              {above === undefined ? label : "Section"}: <strong>{current?.[1] ?? title}</strong>
            </summary>
            {lists}
          </details>
        </nav>
        <div className="section-content">
          <h1>{title}</h1>
          <FeedbackText {...content} />
          {children}
        </div>
      </div>
    ),
  });
}
