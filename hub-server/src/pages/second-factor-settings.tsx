import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { isCode } from "../identity/credentials/code.ts";
import { requirePassword } from "../identity/credentials/log-in.ts";
import { replaceRecoveryCodes } from "../identity/credentials/recovery-codes.ts";
import { totpAddress } from "../identity/credentials/totp.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  pendingSecret,
} from "../identity/second-factor/set-up-second-factor.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf, problemOf } from "./fields.ts";
import { Active, Begin, RecoveryCodes, Scan } from "./second-factor.tsx";
import { type Done, sendSettings } from "./settings.tsx";
import { wrongCode } from "./sign-in-routes.tsx";
import { type SignedIn, signedIn, signedInForm } from "./signed-in.ts";

const at = "/settings/second-factor";
const notices: Readonly<Record<string, string>> = { disabled: "The second factor is disabled." };
type Reply = Parameters<typeof sendSettings>[0];

/** Setting a second factor up, in two steps, and doing without it again. */
export function secondFactorSettings(app: FastifyInstance, hub: Hub): void {
  app.get<Done>(at, async (request, reply) => {
    const visitor = await signedIn(hub, request, reply);
    return await show(visitor, reply, { notice: notices[request.query.done ?? ""] });
  });

  app.post(`${at}/begin`, async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    return await attempt(visitor, reply, async () => {
      await requireOwner(visitor);
      await beginSecondFactor(hub, visitor.session.user, hostOf(visitor));
      return await reply.redirect(at, 303);
    });
  });

  app.post(`${at}/confirm`, async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const given = { code: fieldsOf(request, "code").code, address: request.ip };
    return await attempt(visitor, reply, async () => {
      const codes = await confirmSecondFactor(hub, visitor.session.user, given);
      const notice = "The second factor is set up.";
      return sendSettings(reply, visitor, {
        at,
        notice,
        children: <RecoveryCodes codes={codes} />,
      });
    });
  });

  app.post(`${at}/recovery-codes`, async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    return await attempt(visitor, reply, async () => {
      await requireCode(visitor);
      const codes = await replaceRecoveryCodes(hub.database, visitor.session.user.id);
      const notice = "You have new recovery codes; the ones before are good for nothing.";
      return sendSettings(reply, visitor, {
        at,
        notice,
        children: <RecoveryCodes codes={codes} />,
      });
    });
  });

  app.post(`${at}/disable`, async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    return await attempt(visitor, reply, async () => {
      await requireOwner(visitor);
      if (visitor.session.user.hasSecondFactor) await requireCode(visitor);
      await endSecondFactor(hub, visitor.session.user);
      return await reply.redirect(`${at}?done=disabled`, 303);
    });
  });

  async function show(
    visitor: SignedIn,
    reply: Reply,
    said: { notice?: string | undefined; problem?: string; status?: number },
  ): Promise<unknown> {
    const children = await step(visitor);
    return sendSettings(reply, visitor, { at, children, ...said });
  }

  async function step(visitor: SignedIn): Promise<ReactNode> {
    const { user } = visitor.session;
    if (user.hasSecondFactor) return <Active visitor={visitor} />;
    const secret = await pendingSecret(hub.database, user.id);
    if (secret === undefined) return <Begin visitor={visitor} />;
    const address = totpAddress(secret, { name: user.name, hub: hostOf(visitor) });
    return <Scan {...{ visitor, secret, address }} />;
  }

  async function attempt(
    visitor: SignedIn,
    reply: Reply,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      return await show(visitor, reply, problemOf(error));
    }
  }

  async function requireOwner({ session, request }: SignedIn): Promise<void> {
    const { password } = fieldsOf(request, "password");
    await requirePassword(hub, session.user, { password, address: request.ip });
  }

  async function requireCode({ session, request }: SignedIn): Promise<void> {
    const given = { userId: session.user.id, code: fieldsOf(request, "code").code };
    if (!(await isCode(hub, { ...given, address: request.ip }))) throw wrongCode();
  }

  function hostOf({ request }: SignedIn): string {
    return new URL(originOf(hub.settings, request)).host;
  }
}
