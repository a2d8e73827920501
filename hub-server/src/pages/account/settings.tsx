import type { FastifyReply } from "fastify";
import type { ReactNode } from "react";

import type { Feedback } from "../layout/handle-change.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";
import { sendSection } from "../layout/section-page.tsx";

const groups = [
  [
    ["/settings", "Account"],
    ["/settings/sign-in", "Ways to sign in"],
    ["/settings/second-factor", "Second factor"],
    ["/settings/sessions", "Sessions"],
    ["/settings/tokens", "Tokens"],
    ["/settings/data", "Your data"],
    ["/settings/log", "Log"],
  ],
  [
    ["/settings/packages", "Packages"],
    ["/settings/staged", "Staged versions"],
    ["/settings/runs", "Runs"],
    ["/settings/stars", "Stars"],
  ],
  [
    ["/settings/organisations", "Organisations"],
    ["/settings/invitations", "Invitations"],
    ["/settings/decisions", "Reports and decisions"],
  ],
] as const;

/** The path of a section of the settings. */
export type Section = (typeof groups)[number][number][0];

/** Sends a page of the settings. */
export function sendSettings(
  reply: FastifyReply,
  visitor: SignedInVisitor,
  content: Feedback & {
    readonly section: Section;
    readonly title?: string;
    readonly children: ReactNode;
  },
): FastifyReply {
  return sendSection(reply, visitor, { label: "Settings", groups, ...content });
}
