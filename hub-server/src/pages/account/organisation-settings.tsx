import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { createOrganisation, organisationsOf } from "../../access/organisations/memberships.ts";
import { requireIdentity } from "../../identity/request/identity.ts";
import { requireManager } from "../../identity/request/manager.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { Entry } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { Form, PlainField } from "../layout/form.tsx";
import { formFields } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/organisations";

/** Registers the page that lists the organisations of a user and creates new ones. */
export function organisationSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices: {},
    async show(visitor, reply, feedback) {
      const { userId } = await requireIdentity(hub, visitor.request);
      const organisations = await organisationsOf(hub.database, userId);
      const value = formFields(visitor.request, "name").name;
      const children = <Organisations {...{ organisations, value }} />;
      return sendSettings(reply, visitor, { section, children, ...feedback });
    },
  });

  addForm("/create", async ({ request }) => {
    const name = formFields(request, "name").name.trim().toLowerCase();
    const identity = await requireManager(hub, request);
    await requireSecondFactor(hub, request, identity);
    await change(hub, (change) =>
      createOrganisation(change, identity, { name, settings: hub.settings }),
    );
    return `/org/${name}/members`;
  });
}

function Organisations({
  organisations,
  value,
}: {
  readonly organisations: Awaited<ReturnType<typeof organisationsOf>>;
  readonly value: string;
}): ReactNode {
  return (
    <>
      {organisations.length === 0 ? (
        <div className="empty">
          <p>You are not a member of an organisation.</p>
          <p>Create one below, or ask an owner of one to add you.</p>
        </div>
      ) : (
        <ul className="list" aria-label="Your organisations">
          {organisations.map(({ name, role }) => (
            <li key={name}>
              <Entry title={name} href={`/org/${name}`}>
                You are its {role}.
              </Entry>
              <a href={`/org/${name}/members`}>Members</a>
              <a href={`/org/${name}/teams`}>Teams</a>
            </li>
          ))}
        </ul>
      )}
      <h2>Create an organisation</h2>
      <div className="card">
        <p>
          An organisation owns the scope of its name. Its members publish packages there together.
          The name cannot be changed or released.
        </p>
        <Form action={`${section}/create`}>
          <PlainField
            label="Organisation name"
            name="name"
            defaultValue={value}
            hint="Lower-case letters, digits and hyphens. Packages are named @name/package."
          />
          <button>Create organisation</button>
        </Form>
      </div>
    </>
  );
}
