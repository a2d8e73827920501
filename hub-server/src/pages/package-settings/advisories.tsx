import type { ReactNode } from "react";

import type { StoredAdvisory } from "../../packages/advisories/advisories.ts";
import { Select, TextArea } from "../layout/choices.tsx";
import { Day, Entry } from "../layout/elements.tsx";
import { CardForm, Field, Form } from "../layout/form.tsx";
import { packagePath } from "../package/package-view.ts";

interface Props {
  /** The package's name. */
  readonly name: string;
  readonly isAdmin: boolean;
  readonly advisories: readonly StoredAdvisory[];
}

/** The advisories of a package, with forms for its owners. */
export function Advisories({ name, isAdmin, advisories }: Props): ReactNode {
  const path = `${packagePath(name)}/settings/advisories`;
  return (
    <>
      <p className="quiet">
        An advisory warns everyone who installs an affected version: <code>npm audit</code> and{" "}
        <code>envs hub doctor</code> show it.
      </p>
      {advisories.length === 0 ? (
        <p className="empty">{name} has no advisories.</p>
      ) : (
        <ul className="list" aria-label="Advisories">
          {advisories.map(
            ({ id, title, severity, vulnerable_versions, created_at, withdrawn_at }) => (
              <li key={id}>
                <Entry title={title} href={`/advisories/${id}`}>
                  {severity}, affects {vulnerable_versions}, published on <Day date={created_at} />
                  {withdrawn_at !== null && ", withdrawn"}
                </Entry>
                {isAdmin && withdrawn_at === null && (
                  <Form action={`${path}/withdraw`}>
                    <input type="hidden" name="id" value={id} />
                    <button className="danger small" aria-label={`Withdraw ${title}`}>
                      Withdraw
                    </button>
                  </Form>
                )}
              </li>
            ),
          )}
        </ul>
      )}
      {isAdmin && <NewAdvisory path={path} />}
    </>
  );
}

function NewAdvisory({ path }: { readonly path: string }): ReactNode {
  return (
    <CardForm title="Publish an advisory" action={`${path}/publish`}>
      <Field
        label="Title"
        name="title"
        autoComplete="off"
        maxLength={200}
        placeholder="The reward leaks the answer"
      />
      <Select
        label="Severity"
        name="severity"
        value="moderate"
        choices={["low", "moderate", "high", "critical"].map((value) => ({
          value,
          label: value,
        }))}
      />
      <Field
        label="Affected versions"
        name="vulnerable"
        autoComplete="off"
        maxLength={256}
        placeholder="<1.2.3"
        hint="A semver range."
      />
      <Field
        label="Fixed versions (optional)"
        name="patched"
        autoComplete="off"
        required={false}
        maxLength={256}
        placeholder=">=1.2.3"
      />
      <Field
        label="Weaknesses (optional)"
        name="cwe"
        autoComplete="off"
        required={false}
        maxLength={250}
        placeholder="CWE-200"
        hint="CWE numbers, separated by spaces."
      />
      <TextArea
        label="Problem and remedy"
        name="overview"
        rows={6}
        maxLength={10_000}
        hint="Plain text or Markdown."
      />
      <button>Publish advisory</button>
    </CardForm>
  );
}
