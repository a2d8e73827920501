import type { FastifyReply } from "fastify";
import { renderToStaticMarkup } from "react-dom/server";

import type { Visitor } from "../../identity/sessions/visitor.ts";
import { VisitorContext } from "./form.tsx";
import { Frame, type PageContent } from "./frame.tsx";
import { Head } from "./head.tsx";
import { IslandNames } from "./island.tsx";

/** Sends a page as HTML, with the scripts of the islands in it. */
export function sendPage(
  reply: FastifyReply,
  visitor: Visitor | undefined,
  content: PageContent,
): FastifyReply {
  return reply
    .code(content.status ?? 200)
    .type("text/html; charset=utf-8")
    .send(renderPage(content, { visitor, origin: reply.request.publicOrigin }));
}

/** Renders the body before the head, because the body determines which scripts the page needs. */
export function renderPage(
  { title, meta, ...content }: PageContent,
  { visitor, origin }: { readonly visitor: Visitor | undefined; readonly origin: string },
): string {
  const islands = new Set(["page"]);
  const body = renderToStaticMarkup(
    <IslandNames value={islands}>
      <VisitorContext value={visitor}>
        <Frame title={title} {...content} />
      </VisitorContext>
    </IslandNames>,
  );
  const head = renderToStaticMarkup(<Head {...{ title, meta, origin, islands }} />);
  return `<!doctype html><html lang="en">${head}${body}</html>`;
}
