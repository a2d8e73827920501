import type { FastifyReply } from "fastify";
import type { ReactNode } from "react";

import { Notice, Problem } from "./form.tsx";
import { sendPage } from "./page.tsx";
import type { SignedIn } from "./signed-in.ts";

const sections = [
  ["/settings", "Account"],
  ["/settings/tokens", "Tokens"],
  ["/settings/second-factor", "Second factor"],
  ["/settings/sessions", "Sessions"],
  ["/settings/invitations", "Invitations"],
] as const;

/** The address of a section of the settings. */
export type Section = (typeof sections)[number][0];

/** Query of a page that follows a form: what has been done. */
export interface Done {
  Querystring: { readonly done?: string };
}

/** Answers with a section of the settings. */
export function sendSettings(
  reply: FastifyReply,
  visitor: SignedIn,
  {
    at,
    children,
    notice,
    problem,
    status = 200,
  }: {
    readonly at: Section;
    readonly children: ReactNode;
    readonly notice?: string | undefined;
    readonly problem?: string | undefined;
    readonly status?: number;
  },
): FastifyReply {
  const [, title = ""] = sections.find(([path]) => path === at) ?? [];
  return sendPage(reply, visitor, {
    title,
    status,
    isWide: true,
    navigation: (
      <nav aria-label="Settings">
        <ul>
          {sections.map(([path, label]) => (
            <li key={path}>
              <a href={path} aria-current={path === at ? "page" : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    ),
    children: (
      <>
        <Notice text={notice} />
        <Problem text={problem} />
        {children}
      </>
    ),
  });
}
