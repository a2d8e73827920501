import type { FastifyInstance, FastifyReply } from "fastify";
import type { ReactNode } from "react";

import {
  requestReset,
  resetPassword,
  userOfReset,
} from "../../identity/accounts/reset-password.ts";
import { requestVerification, verifyEmail } from "../../identity/mail/verify-email.ts";
import { formVisitor, visitorOf } from "../../identity/sessions/visitor.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { CardForm, Field, PasswordField, Problem, UsernameHint } from "../layout/form.tsx";
import { handleChange } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields, formProblem, requireSession } from "../layout/require-session.ts";

interface LinkRoute {
  Params: { readonly secret: string };
}

const resetTitle = "Reset your password";

/** Registers the pages of the links in mails, and the page that requests a link for a new password. */
export function mailRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/sign-in/forgot", async (request, reply) => {
    requireMail(hub);
    const visitor = await visitorOf(hub, request, reply);
    return sendPage(reply, visitor, { title: resetTitle, children: <RequestReset /> });
  });

  app.post("/sign-in/forgot", async (request, reply) => {
    requireMail(hub);
    const visitor = await formVisitor(hub, request, reply);
    const { email } = formFields(request, "email");
    try {
      await requestReset(hub, { email, address: request.ip });
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <RequestReset {...{ problem, email }} />;
      return sendPage(reply, visitor, { title: resetTitle, status, children });
    }
    return sendPage(reply, visitor, {
      title: "Look into your inbox",
      children: (
        <p>
          If an account of this hub has verified this address, the hub sends it a link, which works
          for an hour. If no mail arrives, ask an administrator of the hub.
        </p>
      ),
    });
  });

  app.get<LinkRoute>("/reset/:secret", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const { secret } = request.params;
    const { name } = await userOfReset(hub, { secret, address: request.ip });
    const children = <NewPassword {...{ secret, name }} />;
    return sendPage(reply, visitor, { title: resetTitle, children });
  });

  app.post<LinkRoute>("/reset/:secret", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const link = { secret: request.params.secret, address: request.ip };
    const { name } = await userOfReset(hub, link);
    const { new_password: password } = formFields(request, "new_password");
    try {
      await resetPassword(hub, { ...link, password });
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <NewPassword {...{ ...link, name, problem }} />;
      return sendPage(reply, visitor, { title: resetTitle, status, children });
    }
    return sendPage(reply, visitor, {
      title: "Password changed",
      children: (
        <p>
          Your sessions have ended, and your tokens are revoked. <a href="/sign-in">Sign in</a> with
          the new password.
        </p>
      ),
    });
  });

  app.get<LinkRoute>("/verify/:secret", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { secret } = request.params;
    return sendPage(reply, visitor, {
      title: "Verify your address",
      children: (
        <CardForm action={`/verify/${secret}`}>
          <p>
            Verify the e-mail address of <strong>{visitor.session.user.name}</strong>.
          </p>
          <button>Verify</button>
        </CardForm>
      ),
    });
  });

  const change = (
    path: string,
    work: (userId: number, secret: string) => Promise<string>,
  ): void => {
    app.post<LinkRoute>(path, (request, reply) =>
      handleChange(hub, request, reply, {
        page: "/settings",
        work: ({ session }) => work(session.user.id, request.params.secret),
        show: (visitor, { problem, status }) => sendProblem(reply, visitor, { problem, status }),
      }),
    );
  };
  change("/verify/:secret", async (userId, secret) => {
    await verifyEmail(hub, { userId, secret });
    return "verified";
  });
  change("/settings/verify", async (userId) => {
    requireMail(hub);
    await requestVerification(hub.database, hub, userId);
    return "verification";
  });
}

async function sendProblem(
  reply: FastifyReply,
  visitor: Parameters<typeof sendPage>[1],
  {
    problem,
    status,
  }: { readonly problem?: string | undefined; readonly status?: number | undefined },
): Promise<FastifyReply> {
  const children = <Problem text={problem} />;
  return sendPage(reply, visitor, { title: "Verify your address", status, children });
}

function requireMail({ settings }: Hub): void {
  if (settings.HUB_SMTP_URL !== undefined) return;
  throw new HubError("mail-not-configured", {
    message: "This hub does not send e-mail. Ask an administrator of the hub.",
  });
}

function RequestReset({ problem, email }: { problem?: string; email?: string }): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action="/sign-in/forgot">
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="email"
          maxLength={254}
          defaultValue={email}
          hint="The verified address of your account. The hub sends it a link."
        />
        <button>Send the link</button>
      </CardForm>
    </>
  );
}

function NewPassword({
  secret,
  name,
  problem,
}: {
  readonly secret: string;
  readonly name: string;
  readonly problem?: string;
}): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action={`/reset/${secret}`}>
        <UsernameHint name={name} />
        <PasswordField label="New password" name="new_password" isNew />
        <button>Change password</button>
      </CardForm>
    </>
  );
}
