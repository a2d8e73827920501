import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import {
  isCode,
  replaceRecoveryCodes,
  totpAddress,
  wrongCode,
} from "../../identity/credentials/code.ts";
import { requirePassword } from "../../identity/credentials/log-in.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  pendingSecret,
} from "../../identity/second-factor/set-up-second-factor.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { DoneQuery, Feedback } from "../layout/handle-change.tsx";
import {
  formFields,
  formProblem,
  requireSession,
  requireSessionForm,
  type SignedInVisitor,
} from "../layout/require-session.ts";
import { ManageSecondFactor, RecoveryCodes, ScanSecret, SetUpForm } from "./second-factor.tsx";
import { sendSettings } from "./settings.tsx";

const section = "/settings/second-factor";
const notices: Readonly<Record<string, string>> = { disabled: "The second factor is disabled." };
type Reply = Parameters<typeof sendSettings>[0];

/** Registers the page that sets up a second factor in two steps, replaces its recovery codes, and disables it. */
export function secondFactorSettings(app: FastifyInstance, hub: Hub): void {
  app.get<DoneQuery>(section, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    return await show(visitor, reply, { notice: notices[request.query.done ?? ""] });
  });

  app.post(`${section}/begin`, async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    return await attempt(visitor, reply, async () => {
      await requirePasswordField(visitor);
      await beginSecondFactor(hub, visitor.session.user, hostOf(visitor));
      return await reply.redirect(section, 303);
    });
  });

  app.post(`${section}/confirm`, async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const { code } = formFields(request, "code");
    const input = { code, address: request.ip };
    return await attempt(visitor, reply, async () => {
      const codes = await confirmSecondFactor(hub, visitor.session.user, input);
      const children = <RecoveryCodes codes={codes} />;
      const notice = "The second factor is enabled.";
      return sendSettings(reply, visitor, { section, notice, children });
    });
  });

  app.post(`${section}/recovery-codes`, async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    return await attempt(visitor, reply, async () => {
      await requireCodeField(visitor);
      const codes = await replaceRecoveryCodes(hub.database, visitor.session.user.id);
      const children = <RecoveryCodes codes={codes} />;
      const notice = "Recovery codes replaced. The earlier codes are no longer valid.";
      return sendSettings(reply, visitor, { section, notice, children });
    });
  });

  app.post(`${section}/disable`, async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    return await attempt(visitor, reply, async () => {
      await requirePasswordField(visitor);
      if (visitor.session.user.hasSecondFactor) await requireCodeField(visitor);
      await endSecondFactor(hub, visitor.session.user);
      return await reply.redirect(`${section}?done=disabled`, 303);
    });
  });

  async function show(
    visitor: SignedInVisitor,
    reply: Reply,
    feedback: Feedback,
  ): Promise<unknown> {
    const children = await currentStep(visitor);
    return sendSettings(reply, visitor, { section, children, ...feedback });
  }

  async function currentStep(visitor: SignedInVisitor): Promise<ReactNode> {
    const { user } = visitor.session;
    if (user.hasSecondFactor) return <ManageSecondFactor visitor={visitor} />;
    const secret = await pendingSecret(hub.database, user.id);
    if (secret === undefined) return <SetUpForm visitor={visitor} />;
    const address = totpAddress(secret, { name: user.name, hub: hostOf(visitor) });
    return <ScanSecret {...{ secret, address }} />;
  }

  async function attempt(
    visitor: SignedInVisitor,
    reply: Reply,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      return await show(visitor, reply, formProblem(error));
    }
  }

  async function requirePasswordField({ session, request }: SignedInVisitor): Promise<void> {
    const { password } = formFields(request, "password");
    await requirePassword(hub, session.user, { password, address: request.ip });
  }

  async function requireCodeField({ session, request }: SignedInVisitor): Promise<void> {
    const { code } = formFields(request, "code");
    const isValid = await isCode(hub, { userId: session.user.id, code, address: request.ip });
    if (!isValid) throw wrongCode();
  }

  function hostOf({ request }: SignedInVisitor): string {
    return new URL(originOf(hub.settings, request)).host;
  }
}
