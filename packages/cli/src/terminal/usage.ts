import type { ArgsDef } from "citty";

import { paint } from "./text.ts";
import { wrap } from "./wrap.ts";

/** The parts of the help of a command. */
export interface Usage {
  readonly name: string;
  readonly description: string;
  readonly options: ArgsDef;
  /** Options that the environment's config adds. */
  readonly configOptions: ArgsDef;
  /** The options to list; by default, all. */
  readonly everydayOptions?: readonly string[] | undefined;
  /** The last positional argument may occur several times. */
  readonly isRepeatable?: boolean | undefined;
}

const indent = 34;

/** Formats the help of a command: its usage line, its description, then its options. */
export function usage(
  { name, description, options, configOptions, everydayOptions, isRepeatable = false }: Usage,
  width = 100,
): string {
  const positional = Object.entries(options).filter(([, { type }]) => type === "positional");
  const flags = Object.entries(options).filter(([, { type }]) => type !== "positional");
  const listed = flags.filter(([flag]) => everydayOptions?.includes(flag) ?? true);
  const placeholders = positional.map(([argument], index) =>
    isRepeatable && index === positional.length - 1 ? `[${argument}...]` : `[${argument}]`,
  );
  // `npm create envs@latest` does not begin with `envs`.
  const program = name.startsWith("npm ") ? name : `envs ${name}`;
  const sections = [
    [`${paint("bold", [program, ...placeholders].join(" "))} [options]`],
    wrap(description, width),
    positional.flatMap(([argument, { description: text = "" }]) => entry(argument, text, width)),
    optionSection("Options", listed, width),
    optionSection("Config of the environment", Object.entries(configOptions), width),
    listed.length < flags.length
      ? [`${flags.length - listed.length} more options: envs ${name} --help --all`]
      : [],
  ];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n");
}

function optionSection(
  title: string,
  options: readonly [string, ArgsDef[string]][],
  width: number,
): readonly string[] {
  if (options.length === 0) return [];
  return [paint("bold", title), ...options.flatMap((option) => optionEntry(option, width))];
}

function optionEntry([name, definition]: [string, ArgsDef[string]], width: number): string[] {
  const aliases = "alias" in definition ? [definition.alias ?? []].flat() : [];
  const short = aliases[0] === undefined ? "    " : `-${aliases[0]}, `;
  const hint = "valueHint" in definition ? (definition.valueHint ?? name) : name;
  const value = definition.type === "boolean" ? "" : ` <${hint}>`;
  const statesDefault = definition.description?.includes("(default") === true;
  const defaultText =
    definition.default === undefined || statesDefault ? "" : ` (default ${definition.default})`;
  return entry(`${short}--${name}${value}`, `${definition.description ?? ""}${defaultText}`, width);
}

function entry(label: string, text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, Math.max(width - indent, 20));
  const padding = " ".repeat(indent);
  const head = `  ${label}`;
  const lines = head.length + 2 > indent ? [head, padding + first] : [head.padEnd(indent) + first];
  return [...lines, ...rest.map((line) => padding + line)];
}
