import { playerIsland, type PlayerProps } from "@envs/web/player";
import { sandboxPage } from "@envs/web/player-page";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ReactNode } from "react";

import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { Island } from "../layout/island.tsx";
import { sendPackagePage } from "../package/package-page.tsx";
import { type PackageView, packageView, rawPath, versionPath } from "../package/package-view.ts";
import { tinyPlayers } from "./tiny-players.ts";

/** Registers the frame in which published code runs. It has its own policy instead of that of pages. */
export function sandboxRoute(app: FastifyInstance): void {
  const { html, headers } = sandboxPage();
  app.get(sandboxPath, (_request, reply) => reply.headers(headers).send(html));
}

/** Registers the pages on which a person plays an environment. */
export function playPages(app: FastifyInstance, hub: Hub): void {
  for (const after of ["/play", "/v/:version/play"])
    packageRoute(app, `GET /package/:package${after}`, async (name, request, reply) => {
      const { version } = request.params as { readonly version?: string };
      const view = await packageView(hub, { request, reply }, { name, version });
      const models = await tinyPlayers(hub.database, name, view.identity);
      return sendPlayPage(reply, view, playerProps(view, models));
    });
}

function sendPlayPage(
  reply: FastifyReply,
  view: PackageView,
  props: PlayerProps | undefined,
): FastifyReply {
  allowFrame(reply);
  return sendPackagePage(reply, view, {
    tab: "play",
    title: "Play",
    status: props === undefined ? 404 : 200,
    children:
      props === undefined ? (
        <NotPlayable view={view} />
      ) : (
        <>
          <Island of={playerIsland} props={props} />
          <p className="quiet small">
            {view.version.name}@{view.version.version} runs in this page, in a sandbox without
            network and without access to this site. Its scores are what its code reports.
          </p>
        </>
      ),
    meta: {
      path: `${view.path}/play`,
      description: `Play ${view.detail.name} in the browser: ${view.version.description}`,
    },
  });
}

function NotPlayable({ view }: { readonly view: PackageView }): ReactNode {
  const { name, version, environment } = view.version;
  const bundle = environment?.bundle;
  const problem = bundle !== undefined && "problem" in bundle ? bundle.problem : undefined;
  return (
    <>
      <p className="notice">
        {environment === null
          ? `${name}@${version} is not an environment, so it cannot be played.`
          : `This version cannot run in a browser. ${problem ?? "It was published without a bundle: build it with a newer envs build."}`}
      </p>
      {environment !== null && (
        <p>
          Install it, and play in a terminal: <code>envs play {name}</code>. Or go back to{" "}
          <a href={versionPath(name, version)}>its page</a>.
        </p>
      )}
    </>
  );
}

/** The page may show frames of this hub, which no other page does. */
function allowFrame(reply: FastifyReply): void {
  const policy = String(reply.getHeader("content-security-policy"));
  void reply.header("content-security-policy", `${policy};frame-src 'self'`);
}

/** The path of the page that the sandboxed frame loads. */
const sandboxPath = "/-/play/sandbox";

/** The data of a version for the player; `undefined` if its environment only runs in Node. */
function playerProps(
  { version: { name, version, environment } }: PackageView,
  models: PlayerProps["models"],
): PlayerProps | undefined {
  const bundle = environment?.bundle;
  if (environment === null || bundle === undefined || !("path" in bundle)) return undefined;
  const { scores, splits, tools, policies, seats = [], config, maxTurns } = environment;
  return {
    name: environment.name,
    source: {
      kind: "bundle",
      codeUrl: `${rawPath(name, version)}/${bundle.path}`,
      sha256: bundle.sha256,
      frameUrl: sandboxPath,
    },
    scores,
    splits,
    tools: tools.map(({ name: tool, description, input }) => ({
      name: tool,
      description,
      parameters: input,
    })),
    policies,
    seats,
    config,
    maxTurns,
    models,
  };
}
