/** An option of an environment's config, as the form shows it. */
export interface ConfigField {
  readonly name: string;
  readonly kind: "boolean" | "choice" | "number" | "text" | "json";
  /** The type as shown: `whole number from 1 to 8`. */
  readonly type: string;
  readonly description: string;
  /** The default as text; empty without one. */
  readonly byDefault: string;
  readonly isRequired: boolean;
  /** The choices of a select. */
  readonly choices: readonly string[];
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly isInteger: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

/** Manifests of environments with more options are possible, but a page with them is not readable. */
const maxFields = 200;

/** The options that a config's JSON Schema describes. */
export function configFields(schema: Schema): readonly ConfigField[] {
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  return Object.entries(objectOf(schema["properties"]))
    .slice(0, maxFields)
    .map(([name, property]) => field(name, objectOf(property), required.includes(name)));
}

function field(name: string, schema: Schema, isInRequired: boolean): ConfigField {
  const kind = kindOf(schema);
  return {
    name,
    kind,
    type: typeText(schema),
    description: typeof schema["description"] === "string" ? schema["description"] : "",
    byDefault: textOf(schema["default"], kind),
    isRequired: isInRequired && schema["default"] === undefined,
    choices: kind === "choice" ? (schema["enum"] as readonly string[]) : [],
    minimum: boundOf(schema["minimum"]),
    maximum: boundOf(schema["maximum"]),
    isInteger: schema["type"] === "integer",
  };
}

function kindOf({ type, enum: choices }: Schema): ConfigField["kind"] {
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === "string"))
    return "choice";
  if (type === "boolean") return "boolean";
  if (type === "number" || type === "integer") return "number";
  return type === "string" && choices === undefined ? "text" : "json";
}

/** The text of a value in the form's field. */
function textOf(value: unknown, kind: ConfigField["kind"]): string {
  if (value === undefined) return "";
  return typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
}

/** Omits the bounds that Zod adds to every integer. */
function boundOf(value: unknown): number | null {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
}

function typeText(schema: Schema): string {
  const { type, enum: choices, const: constant, anyOf, items } = schema;
  if (Array.isArray(choices)) return choices.map(String).join(" | ");
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(anyOf)) return anyOf.map((part) => typeText(objectOf(part))).join(" | ");
  if (type === "array") return `list of ${typeText(objectOf(items))}`;
  const name = type === "integer" ? "whole number" : typeof type === "string" ? type : "any";
  return `${name}${rangeText(boundOf(schema["minimum"]), boundOf(schema["maximum"]))}`;
}

function rangeText(minimum: number | null, maximum: number | null): string {
  if (minimum !== null && maximum !== null) return ` from ${minimum} to ${maximum}`;
  if (minimum !== null) return ` ≥ ${minimum}`;
  return maximum === null ? "" : ` ≤ ${maximum}`;
}

function objectOf(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {};
}

/** The command that evaluates a model on an environment with a config. */
export function evalCommand({
  environment,
  model,
  config,
}: {
  /** The package's name. */
  readonly environment: string;
  /** The name of the model; empty for a placeholder. */
  readonly model: string;
  readonly config: Readonly<Record<string, unknown>>;
}): string {
  const modelArgument = model === "" ? "<model>" : shellArgument(model);
  return ["envs eval", shellArgument(environment), "-m", modelArgument, ...configFlag(config)].join(
    " ",
  );
}

/** The `--config` flag of a command line; empty for the default config. */
export function configFlag(config: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(config).length === 0
    ? []
    : ["--config", shellArgument(JSON.stringify(config))];
}

/** Quotes an argument if a shell would change it. */
export function shellArgument(text: string): string {
  // zsh reads a word that begins with `=` as a path.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
