import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import { foreignRequestProblem, listen } from "@envs/models/server";

import { UnknownRunError, type VocabularyOf } from "../runs/run-reader.ts";
import type { Workspace } from "../runs/workspace.ts";
import { dataRoutes } from "./data-routes.ts";
import { sendAsset, sendPage } from "./pages.ts";
import { sendText } from "./responses.ts";

/** A running viewer. */
export interface ViewerServer {
  /** The address to open. Its path contains a secret, so that other users of this machine cannot read the runs. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ViewerServerOptions {
  readonly workspace: Workspace;
  /** Default: a free one. */
  readonly port?: number | undefined;
  readonly vocabularyOf?: VocabularyOf | undefined;
}

/** Serves the viewer on 127.0.0.1. Only requests with the secret of the address and a local host name are answered. */
export async function startViewerServer({
  workspace,
  port = 0,
  vocabularyOf,
}: ViewerServerOptions): Promise<ViewerServer> {
  const secret = randomBytes(16).toString("base64url");
  const prefix = `/${secret}`;
  const routes = dataRoutes(workspace, vocabularyOf);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const problem = foreignRequestProblem(request.headers);
    if (problem !== undefined) return sendText(response, 403, problem);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (pathname === prefix) {
      response.writeHead(308, { location: `${prefix}/` }).end();
      return;
    }
    if (!pathname.startsWith(`${prefix}/`))
      return sendText(
        response,
        404,
        "Nothing is here. Open the whole address that envs view --web printed.",
      );
    const path = pathname.slice(prefix.length);
    if (path === "/") return await sendPage(response);
    if (path.startsWith("/assets/")) return await sendAsset(response, path);
    await routes({ request, response, path, query: searchParams });
  }

  const { origin, close } = await listen(
    async ({ request, response }) => {
      try {
        await answer(request, response);
      } catch (error) {
        if (response.headersSent) response.destroy();
        else sendText(response, error instanceof UnknownRunError ? 422 : 500, String(error));
      }
    },
    { port },
  );
  return { url: `${origin}${prefix}/`, close };
}
