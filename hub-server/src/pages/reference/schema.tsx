import { Fragment, type ReactNode } from "react";

import { Table } from "../layout/table.tsx";
import { type Field, fieldsOf, isSchema, refName, type Schema } from "./api-document.ts";

/** The fields of an object in a table; the type of any other schema in a line. */
export function SchemaView({
  label,
  schema,
}: {
  readonly label: string;
  readonly schema: Schema;
}): ReactNode {
  const fields = fieldsOf(schema);
  if (fields.length > 0) return <FieldTable label={label} fields={fields} />;
  return (
    <p>
      <Type schema={schema} />
      {schema.description !== undefined && `: ${schema.description}`}
    </p>
  );
}

/** Fields or parameters with their types. */
export function FieldTable({
  label,
  fields,
}: {
  readonly label: string;
  readonly fields: readonly (Field & { readonly place?: string })[];
}): ReactNode {
  return (
    <Table label={label} className="field-table" headings={["Name", "Type", "Description"]}>
      {fields.map(({ name, schema, isRequired, place }) => (
        <tr key={`${place} ${name}`}>
          <td>
            <code>{name}</code>
            <span className="quiet small block">
              {[place, isRequired ? undefined : "optional"].filter(Boolean).join(", ")}
            </span>
          </td>
          <td>
            <Type schema={schema} />
          </td>
          <td>
            {schema.description}
            {schema.default !== undefined && (
              <span className="quiet small block">
                Default: <code>{JSON.stringify(schema.default)}</code>
              </span>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** A type in words, with links to named schemas. */
function Type({ schema }: { readonly schema: Schema }): ReactNode {
  const { $ref: ref, items, additionalProperties: values, type, format } = schema;
  if (ref !== undefined) return <a href={`#${refName(ref)}`}>{refName(ref)}</a>;
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>;
  if (schema.enum !== undefined)
    return joined(schema.enum.map((value) => <code>{JSON.stringify(value)}</code>));
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) return joined(choices.map((each) => <Type schema={each} />));
  if (type === "array") {
    const [first] =
      schema.prefixItems ?? (items === undefined ? [] : isSchema(items) ? [items] : items);
    return first === undefined ? "array" : <>array of {<Type schema={first} />}</>;
  }
  if (typeof values === "object" && Object.keys(values).length > 0)
    return <>map of {<Type schema={values} />}</>;
  if (type === undefined) return "any value";
  const name = [type].flat().join(" or ");
  return format === undefined ? name : `${name} (${format})`;
}

function joined(parts: readonly ReactNode[]): ReactNode {
  return parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && " or "}
      {part}
    </Fragment>
  ));
}
