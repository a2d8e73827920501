import type { FastifyReply } from "fastify";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";

import type { Visitor } from "../identity/sessions/visitor.ts";
import { iconPath, stylePath } from "./assets.ts";
import { Form } from "./form.tsx";

/** The content of a page. */
export interface PageContent {
  /** The title and the heading. */
  readonly title: string;
  readonly children: ReactNode;
  /** Precedes the main content. */
  readonly navigation?: ReactNode;
  /** Default: 200. */
  readonly status?: number | undefined;
  /** For lists. Forms are narrow. */
  readonly isWide?: boolean;
}

/** Sends a page as static HTML without scripts. */
export function sendPage(
  reply: FastifyReply,
  visitor: Visitor | undefined,
  content: PageContent,
): FastifyReply {
  const markup = renderToStaticMarkup(<Page visitor={visitor} {...content} />);
  return reply
    .code(content.status ?? 200)
    .type("text/html; charset=utf-8")
    .send(`<!doctype html>${markup}`);
}

function Page({
  visitor,
  title,
  navigation,
  children,
  isWide = false,
}: PageContent & { readonly visitor: Visitor | undefined }): ReactNode {
  const user = visitor?.session?.waitsForCode === false ? visitor.session.user : undefined;
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · envs hub`}</title>
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" href={iconPath} />
      </head>
      <body>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <header>
          <span className="hub">envs hub</span>
          {user !== undefined && (
            <>
              <a href="/settings">{user.name}</a>
              <Form action="/sign-out" visitor={visitor} isInline>
                <button className="link">Sign out</button>
              </Form>
            </>
          )}
        </header>
        {navigation}
        <main id="content" className={isWide ? undefined : "narrow"}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}
