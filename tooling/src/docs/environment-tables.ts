import { table } from "./table.ts";

/** The fields of `envs info --json` that tables show. */
export interface Description {
  readonly config: readonly {
    readonly name: string;
    readonly type: string;
    readonly default?: unknown;
    readonly description?: string;
  }[];
  readonly scores: readonly {
    readonly name: string;
    readonly weight: number;
    readonly isGroup: boolean;
    readonly description?: string;
    readonly range?: readonly [number, number];
  }[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** The tables that a README may ask for, by the name in its marker. */
export const environmentTables: Readonly<Record<string, (description: Description) => string>> = {
  config: ({ config }) =>
    config.length === 0
      ? "There are no options."
      : table(
          ["Option", "Type", "Default", "Meaning"],
          config.map(({ name, type, default: byDefault, description = "" }) => [
            code(name),
            type,
            byDefault === undefined ? "" : code(JSON.stringify(byDefault)),
            description,
          ]),
        ),

  scores: ({ scores }) =>
    table(
      ["Score", "Weight", "Range", "Value"],
      scores.map(({ name, weight, isGroup, range, description = "" }) => [
        code(name),
        number(weight),
        range === undefined ? "" : range.map(number).join(" to "),
        isGroup ? `${description} (of a group)`.trim() : description,
      ]),
    ),

  tools: ({ tools }) =>
    table(
      ["Tool", "Description for the model"],
      tools.map(({ name, description }) => [code(name), description]),
    ),
};

function code(text: string): string {
  return `\`${text}\``;
}

/** Formats a number with a true minus, because a line may break after a hyphen. */
function number(value: number): string {
  return String(value).replace("-", "−");
}
