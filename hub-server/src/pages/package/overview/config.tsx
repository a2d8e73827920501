import {
  type ConfigField,
  configFormIsland,
  type ConfigFormProps,
  InlineCode,
} from "@envs/web/config-form";
import type { ReactNode } from "react";

import { Island } from "../../layout/island.tsx";
import { Table } from "../../layout/table.tsx";

/** The options of the environment's config as a table, and the form that builds the command of an evaluation. */
export function Config({ form }: { readonly form: ConfigFormProps }): ReactNode {
  const { fields } = form;
  return (
    <>
      <section className="section">
        <h2 id="try">Try it</h2>
        <p className="quiet">
          {fields.length === 0
            ? "This environment has no options. Choose a model."
            : "Choose a model and options. The command and the link contain what differs from the defaults."}
        </p>
        <Island of={configFormIsland} props={form} />
      </section>
      {fields.length > 0 && (
        <section className="section">
          <h2 id="options">Options</h2>
          <OptionTable fields={fields} />
        </section>
      )}
    </>
  );
}

function OptionTable({ fields }: { readonly fields: readonly ConfigField[] }): ReactNode {
  return (
    <Table label="Options" headings={["Option", "Type", "Default", "Description"]}>
      {fields.map(({ name, type, byDefault, isRequired, description }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td className="type">{type}</td>
          <td>{isRequired ? "required" : byDefault === "" ? "" : <code>{byDefault}</code>}</td>
          <td>
            <InlineCode text={description} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
