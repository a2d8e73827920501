import cookie from "@fastify/cookie";
import formbody from "@fastify/formbody";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { HubError } from "../platform/errors/hub-error.ts";
import { guardPages } from "../platform/http/security-headers.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { accountRoutes } from "./account-routes.tsx";
import { accountSettings } from "./account-settings.tsx";
import { advisoryPage } from "./advisory.tsx";
import { approveRoutes } from "./approve-routes.tsx";
import { signInNeeded } from "./fields.ts";
import { frontRoutes } from "./front.tsx";
import { invitationSettings } from "./invitation-settings.tsx";
import { sendPage } from "./page.tsx";
import { secondFactorSettings } from "./second-factor-settings.tsx";
import { sessionSettings } from "./session-settings.tsx";
import { signInRoutes } from "./sign-in-routes.tsx";
import { styleRoutes } from "./style.ts";
import { tokenSettings } from "./token-settings.tsx";

const bodyLimit = 16 * 1024;

/** The pages of the hub. Cookies and forms are read here alone: no route outside can be sent either. */
export async function pageRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  styleRoutes(app);
  await app.register(async (pages) => {
    pages.addHook("onRoute", (route) => {
      route.bodyLimit ??= bodyLimit;
    });
    pages.setErrorHandler((error: FastifyError, request, reply) => explain(error, request, reply));
    await pages.register(cookie);
    await pages.register(formbody);
    await guardPages(pages, hub.settings);
    accountRoutes(pages, hub);
    accountSettings(pages, hub);
    advisoryPage(pages, hub);
    approveRoutes(pages, hub);
    frontRoutes(pages, hub);
    invitationSettings(pages, hub);
    secondFactorSettings(pages, hub);
    sessionSettings(pages, hub);
    signInRoutes(pages, hub);
    tokenSettings(pages, hub);
  });
}

/** A page for what a person cannot correct in a form. */
function explain(
  error: FastifyError | HubError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof HubError) {
    if (error.code === signInNeeded)
      return reply.redirect(
        `/sign-in?next=${encodeURIComponent(String(error.details["next"]))}`,
        303,
      );
    return page(reply.headers(error.headers), error);
  }
  const { statusCode: status = 500, message } = error;
  if (status < 500) return page(reply, { status, message });
  request.log.error({ err: error }, "a page failed");
  return page(reply, {
    status: 500,
    message: `The hub failed. Tell its operator this number: ${request.id}`,
  });
}

function page(
  reply: FastifyReply,
  { status, message }: { readonly status: number; readonly message: string },
): FastifyReply {
  const children = (
    <>
      <p>{message}</p>
      <p>
        <a href="/settings">To your settings</a>
      </p>
    </>
  );
  return sendPage(reply, undefined, { title: "This did not work", status, children });
}
