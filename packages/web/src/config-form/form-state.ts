import type { ConfigField } from "./fields.ts";

/** The entries of a visitor: the texts of the fields by the names of the options, and the model. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  readonly model: string;
}

/** The prefix of an option's parameter in the address of the page. */
export const parameterPrefix = "config.";
export const modelParameter = "model";
const maxTextLength = 1000;

/** Reads the state from the parameters of the page's address. */
export function readState(
  fields: readonly ConfigField[],
  parameters: URLSearchParams,
  defaultModel: string,
): FormState {
  const values = fields.map(({ name, byDefault }): [string, string] => [
    name,
    (parameters.get(parameterPrefix + name) ?? byDefault).slice(0, maxTextLength),
  ]);
  const model = (parameters.get(modelParameter) ?? defaultModel).slice(0, maxTextLength);
  return { values: Object.fromEntries(values), model };
}

/** The parameters of the page's address: only the options that differ from the defaults. */
export function stateParameters(
  fields: readonly ConfigField[],
  { values, model }: FormState,
  defaultModel: string,
): string {
  const parameters = new URLSearchParams();
  for (const { name, byDefault } of fields) {
    const value = values[name] ?? byDefault;
    if (value !== byDefault) parameters.set(parameterPrefix + name, value);
  }
  if (model !== defaultModel) parameters.set(modelParameter, model);
  return parameters.toString();
}

/** The options that differ from their defaults, and the problems of the others by name. */
export interface EnteredConfig {
  readonly config: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, string>>;
}

/** Converts the texts of the fields to a config. Options with a problem are left out. */
export function enteredConfig(
  fields: readonly ConfigField[],
  { values }: Pick<FormState, "values">,
): EnteredConfig {
  const config: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = values[field.name] ?? field.byDefault;
    if (text === field.byDefault) continue;
    const { value, problem } = parse(field, text);
    if (problem === undefined) config[field.name] = value;
    else problems[field.name] = problem;
  }
  return { config, problems };
}

interface Parsed {
  readonly value?: unknown;
  readonly problem?: string | undefined;
}

function parse(field: ConfigField, text: string): Parsed {
  switch (field.kind) {
    case "text":
      return { value: text };
    case "choice":
      return field.choices.includes(text)
        ? { value: text }
        : { problem: `Choose one of: ${field.choices.join(", ")}.` };
    case "boolean":
      return ["true", "false"].includes(text)
        ? { value: text === "true" }
        : { problem: "Choose true or false." };
    case "number":
      return parseNumber(field, text);
    case "json":
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { problem: "Enter JSON, such as [1, 2] or null." };
      }
  }
}

function parseNumber({ minimum, maximum, isInteger }: ConfigField, text: string): Parsed {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) return { problem: "Enter a number." };
  if (isInteger && !Number.isInteger(value)) return { problem: "Enter a whole number." };
  if (minimum !== null && value < minimum) return { problem: `The minimum is ${minimum}.` };
  if (maximum !== null && value > maximum) return { problem: `The maximum is ${maximum}.` };
  return { value };
}
