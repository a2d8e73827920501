import type { ReactNode } from "react";

import type { TrustedPublisher } from "../../access/trusted-publishers/configuration.ts";
import { Radios, Select } from "../layout/choices.tsx";
import { Entry } from "../layout/elements.tsx";
import { CardForm, Field, Form } from "../layout/form.tsx";
import { packagePath } from "../package/package-view.ts";

interface Props {
  /** The package's name. */
  readonly name: string;
  readonly publishers: readonly TrustedPublisher[];
}

/** The builds that may publish a package without a token, and a form for another. */
export function TrustedPublishers({ name, publishers }: Props): ReactNode {
  const path = `${packagePath(name)}/settings/trusted-publishers`;
  return (
    <>
      <p className="quiet">
        A trusted publisher is a workflow of GitHub Actions or GitLab CI. Its builds publish without
        a token, and their versions carry provenance.{" "}
        <a href="/docs/guides/publish-an-environment">How to publish from CI</a>
      </p>
      {publishers.length === 0 ? (
        <p className="empty">
          {name} has no trusted publisher. Add the workflow that publishes it.
        </p>
      ) : (
        <ul className="list" aria-label="Trusted publishers">
          {publishers.map((publisher) => (
            <li key={publisher.id}>
              <Publisher {...publisher} />
              <Form action={`${path}/remove`}>
                <input type="hidden" name="id" value={publisher.id} />
                <button className="danger small" aria-label={`Remove ${labelOf(publisher)}`}>
                  Remove
                </button>
              </Form>
            </li>
          ))}
        </ul>
      )}
      <CardForm title="Add a trusted publisher" action={`${path}/add`}>
        <Select
          label="Where it builds"
          name="type"
          choices={[
            { value: "github", label: "GitHub Actions" },
            { value: "gitlab", label: "GitLab CI" },
          ]}
        />
        <Field
          label="Repository"
          name="repository"
          autoComplete="off"
          spellCheck={false}
          maxLength={250}
          placeholder="ada/word-length"
          hint="Owner and name; on GitLab, the path of the project."
        />
        <Field
          label="Workflow file"
          name="file"
          autoComplete="off"
          spellCheck={false}
          maxLength={250}
          placeholder="publish.yml"
          hint="The name of the file, without its folder."
        />
        <Field
          label="Environment (optional)"
          name="environment"
          autoComplete="off"
          spellCheck={false}
          required={false}
          maxLength={255}
          hint="The deployment environment that the job must use."
        />
        <Radios
          label="What its builds may do"
          name="permission"
          value="createPackage"
          choices={[
            { value: "createPackage", label: "Publish" },
            {
              value: "createStagedPackage",
              label: "Stage",
              hint: "An owner approves each version before it can be installed.",
            },
          ]}
        />
        <button>Add trusted publisher</button>
      </CardForm>
    </>
  );
}

function Publisher(publisher: TrustedPublisher): ReactNode {
  const { type, claims, permissions } = publisher;
  const environment = type === "circleci" ? undefined : claims.environment;
  return (
    <Entry title={labelOf(publisher)}>
      {{ github: "GitHub Actions", gitlab: "GitLab CI", circleci: "CircleCI" }[type]}
      {environment !== undefined && `, environment ${environment}`}
      {permissions.includes("createPackage") ? ", may publish" : ", may stage"}
    </Entry>
  );
}

function labelOf({ type, claims }: TrustedPublisher): string {
  switch (type) {
    case "github":
      return `${claims.repository}, ${claims.workflow_ref.file}`;
    case "gitlab":
      return `${claims.project_path}, ${claims.ci_config_ref_uri.file}`;
    case "circleci":
      return claims["oidc.circleci.com/vcs-origin"];
  }
}
