import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import {
  isCode,
  replaceRecoveryCodes,
  totpAddress,
  wrongCode,
} from "../../identity/credentials/code.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  pendingSecret,
} from "../../identity/second-factor/set-up-second-factor.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formPage } from "../layout/form-page.ts";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { ManageSecondFactor, RecoveryCodes, ScanSecret, SetUpForm } from "./second-factor.tsx";
import { sendSettings } from "./settings.tsx";

const section = "/settings/second-factor";

/** Registers the page that sets up a second factor in two steps, replaces its recovery codes, and disables it. */
export function secondFactorSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices: { disabled: "The second factor is disabled." },
    async show(visitor, reply, feedback) {
      const children = await currentStep(visitor);
      return sendSettings(reply, visitor, { section, children, ...feedback });
    },
  });

  addForm("/begin", async (visitor) => {
    requireConfirmed(visitor);
    await beginSecondFactor(hub, visitor.session.user, hostOf(visitor));
    return section;
  });

  addForm("/confirm", async (visitor, _, reply) => {
    const { code } = formFields(visitor.request, "code");
    const input = { code, address: visitor.request.ip };
    const codes = await confirmSecondFactor(hub, visitor.session.user, input);
    const children = <RecoveryCodes codes={codes} />;
    const notice = "The second factor is enabled.";
    return sendSettings(reply, visitor, { section, notice, children });
  });

  addForm("/recovery-codes", async (visitor, _, reply) => {
    await requireCode(visitor);
    const codes = await replaceRecoveryCodes(hub.database, visitor.session.user.id);
    const children = <RecoveryCodes codes={codes} />;
    const notice = "Recovery codes replaced. The earlier codes are no longer valid.";
    return sendSettings(reply, visitor, { section, notice, children });
  });

  addForm("/disable", async (visitor) => {
    if (visitor.session.user.hasSecondFactor) await requireCode(visitor);
    else requireConfirmed(visitor);
    await endSecondFactor(hub, visitor.session.user);
    return "disabled";
  });

  async function currentStep(visitor: SignedInVisitor): Promise<ReactNode> {
    const { user } = visitor.session;
    if (user.hasSecondFactor) return <ManageSecondFactor />;
    const secret = await pendingSecret(hub.database, user.id);
    if (secret === undefined) return <SetUpForm />;
    const address = totpAddress(secret, { name: user.name, hub: hostOf(visitor) });
    return <ScanSecret {...{ secret, address }} />;
  }

  /** Requires a code in every form, even soon after the user signed in. */
  async function requireCode(visitor: SignedInVisitor): Promise<void> {
    const { session, request } = visitor;
    // The code of an older session is checked and used up before.
    if (!session.isFresh) return requireConfirmed(visitor);
    const { code } = formFields(request, "code");
    if (!(await isCode(hub, { userId: session.user.id, code, address: request.ip })))
      throw wrongCode();
  }

  function hostOf({ request }: SignedInVisitor): string {
    return new URL(originOf(hub.settings, request)).host;
  }
}
