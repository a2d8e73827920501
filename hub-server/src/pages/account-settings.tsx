import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { changeProfile } from "../identity/accounts/change-profile.ts";
import { type Profile, readProfile } from "../identity/accounts/profile.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf, problemOf } from "./fields.ts";
import { Field, Form, PasswordField, Whose } from "./form.tsx";
import { type Done, sendSettings } from "./settings.tsx";
import { type SignedIn, signedIn, signedInForm } from "./signed-in.ts";

const at = "/settings";
const notices: Readonly<Record<string, string>> = {
  profile: "Your profile is saved.",
  password: "Your password is changed. Your other sessions have ended.",
};

/** The account itself: what others see of it, and its password. */
export function accountSettings(app: FastifyInstance, hub: Hub): void {
  app.get<Done>(at, async (request, reply) => {
    const visitor = await signedIn(hub, request, reply);
    const profile = await readProfile(hub.database, visitor.session.user.id);
    const notice = notices[request.query.done ?? ""];
    return sendSettings(reply, visitor, {
      at,
      notice,
      children: <Account {...{ visitor, profile }} />,
    });
  });

  app.post("/settings/profile", async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const { full_name: fullName, email } = fieldsOf(request, "full_name", "email");
    return await change(visitor, reply, { done: "profile", set: { fullName, email } });
  });

  app.post("/settings/password", async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const { password, new_password } = fieldsOf(request, "password", "new_password");
    const set = {
      password: { old: password, new: new_password },
      currentSession: visitor.session.idHash,
    };
    return await change(visitor, reply, { done: "password", set });
  });

  async function change(
    visitor: SignedIn,
    reply: Parameters<typeof sendSettings>[0],
    { done, set }: { done: string; set: Omit<Parameters<typeof changeProfile>[2], "address"> },
  ): Promise<unknown> {
    const { user } = visitor.session;
    try {
      await changeProfile(hub, user, { ...set, address: visitor.request.ip });
      return await reply.redirect(`${at}?done=${done}`, 303);
    } catch (error) {
      const profile = await readProfile(hub.database, user.id);
      const children = <Account {...{ visitor, profile }} />;
      return sendSettings(reply, visitor, { at, children, ...problemOf(error) });
    }
  }
}

function Account({ visitor, profile }: { visitor: SignedIn; profile: Profile }): ReactNode {
  return (
    <>
      <p className="quiet">
        You are <strong>{profile.name}</strong>; your packages are called{" "}
        <code>{`@${profile.name}/…`}</code>.
      </p>
      <h2>Profile</h2>
      <div className="card">
        <Form action="/settings/profile" visitor={visitor}>
          <Field
            label="Full name (optional)"
            name="full_name"
            autoComplete="name"
            required={false}
            maxLength={100}
            defaultValue={profile.fullname}
          />
          <Field
            label="E-mail (optional)"
            name="email"
            type="email"
            autoComplete="email"
            required={false}
            maxLength={254}
            defaultValue={profile.email}
          />
          <button>Save</button>
        </Form>
      </div>
      <h2>Password</h2>
      <div className="card">
        <Form action="/settings/password" visitor={visitor}>
          <Whose name={profile.name} />
          <PasswordField label="Current password" />
          <PasswordField label="New password" name="new_password" isNew />
          <button>Change the password</button>
        </Form>
      </div>
    </>
  );
}
