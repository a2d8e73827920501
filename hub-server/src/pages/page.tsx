import type { FastifyReply } from "fastify";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";

import type { Visitor } from "../identity/sessions/visitor.ts";
import { Form } from "./form.tsx";
import { iconPath, stylePath } from "./style.ts";

/** What a page shows. */
export interface PageContent {
  /** The title of the page, and its heading. */
  readonly title: string;
  readonly children: ReactNode;
  /** Stands before the page's own content. */
  readonly navigation?: ReactNode;
  /** Of an error, its status. */
  readonly status?: number;
  /** Lists take more room than forms. */
  readonly isWide?: boolean;
}

/** Answers with a page: plain HTML, complete without any script. */
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
          Skip to the content
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
