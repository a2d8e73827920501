/// <reference lib="dom" />
import type { ToolSpec } from "@envs/core/engine";

import { element } from "./dom.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Form fields for a tool's arguments. */
export interface ToolForm {
  readonly fields: readonly HTMLElement[];
  /** The arguments. Throws an error for the player if a field has invalid JSON. */
  read(): Record<string, unknown>;
}

/** Creates fields from a tool's JSON Schema. */
export function toolForm({ parameters }: ToolSpec): ToolForm {
  const properties = Object.entries((parameters.properties ?? {}) as Record<string, Schema>);
  const required = new Set((parameters.required ?? []) as readonly string[]);
  const fields = properties.map(([name, schema]) => field(name, schema, required.has(name)));
  return {
    fields: fields.map(({ block }) => block),
    read: () =>
      Object.fromEntries(
        fields.flatMap(({ name, read }) => {
          const value = read();
          return value === undefined ? [] : [[name, value]];
        }),
      ),
  };
}

function field(name: string, property: Schema, isRequired: boolean) {
  // Many generators describe an optional value as `anyOf` with null.
  const schema = property.anyOf?.find(({ type }) => type !== "null") ?? property;
  const hint = property.description ?? schema.description;
  const control = controlFor(schema);
  control.id = `field-${name}`;
  control.name = name;
  const isCheckbox = schema.type === "boolean";
  if (!isCheckbox) control.required = isRequired;
  const label = element("label", { htmlFor: control.id }, [name]);
  if (!isRequired && !isCheckbox)
    label.append(element("span", { className: "quiet" }, [" optional"]));
  const parts = isCheckbox
    ? [element("span", { className: "switch" }, [control, label])]
    : [label, control];
  if (hint !== undefined) {
    const id = `${control.id}-hint`;
    control.setAttribute("aria-describedby", id);
    parts.push(element("small", { id, className: "quiet" }, [hint]));
  }
  return {
    name,
    block: element("p", { className: "field" }, parts),
    read: () => valueOf(control, schema, isRequired),
  };
}

function controlFor(schema: Schema): Control {
  if (schema.enum !== undefined) {
    const options = schema.enum.map((value) => element("option", {}, [String(value)]));
    return element("select", {}, [element("option", { value: "" }, ["–"]), ...options]);
  }
  switch (schema.type) {
    case "boolean":
      return element("input", { type: "checkbox", checked: schema.default === true });
    case "integer":
    case "number": {
      const step = schema.type === "integer" ? "1" : "any";
      const input = element("input", { type: "number", step });
      if (schema.minimum !== undefined) input.min = String(schema.minimum);
      if (schema.maximum !== undefined) input.max = String(schema.maximum);
      return input;
    }
    case "string":
      return element("textarea", { rows: 1 });
    default:
      return element("textarea", { rows: 3, placeholder: "JSON" });
  }
}

function valueOf(control: Control, schema: Schema, isRequired: boolean): unknown {
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked;
  const { value, name } = control;
  if (value === "" && !(isRequired && schema.type === "string")) return undefined;
  if (schema.enum !== undefined) return schema.enum.find((option) => String(option) === value);
  if (schema.type === "string") return value;
  if (control instanceof HTMLInputElement) return Number(value);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new Error(`${name} is not valid JSON. Write, for example, ["a", "b"].`);
  }
}
