import type { ArgsDef } from "citty";

import { paint } from "./paint.ts";

export interface Usage {
  readonly name: string;
  readonly description: string;
  readonly options: ArgsDef;
  /** Options that the environment's config adds. */
  readonly configOptions: ArgsDef;
}

const indent = 34;

/** The help of a command: what it does, then its options, wrapped to `width`. */
export function usage({ name, description, options, configOptions }: Usage, width = 100): string {
  const positional = Object.entries(options).filter(([, { type }]) => type === "positional");
  const flags = Object.entries(options).filter(([, { type }]) => type !== "positional");
  const config = Object.entries(configOptions);
  const words = positional.map(([argument]) => `[${argument}]`);
  const sections = [
    [`${paint("bold", ["envs", name, ...words].join(" "))} [options]`],
    wrap(description, width),
    positional.flatMap(([argument, { description: text = "" }]) => entry(argument, text, width)),
    flags.length === 0
      ? []
      : [paint("bold", "Options"), ...flags.flatMap((flag) => option(flag, width))],
    config.length === 0
      ? []
      : [
          paint("bold", "Config of the environment"),
          ...config.flatMap((flag) => option(flag, width)),
        ],
  ];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n");
}

function option([name, definition]: [string, ArgsDef[string]], width: number): string[] {
  const aliases = "alias" in definition ? [definition.alias ?? []].flat() : [];
  const short = aliases[0] === undefined ? "    " : `-${aliases[0]}, `;
  const hint = "valueHint" in definition ? (definition.valueHint ?? name) : name;
  const value = definition.type === "boolean" ? "" : ` <${hint}>`;
  const isTold = definition.description?.includes("(default") === true;
  const byDefault =
    definition.default === undefined || isTold ? "" : ` (default ${definition.default})`;
  return entry(`${short}--${name}${value}`, `${definition.description ?? ""}${byDefault}`, width);
}

function entry(label: string, text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, width - indent);
  const pad = " ".repeat(indent);
  const head = `  ${label}`;
  const lines = head.length + 2 > indent ? [head, pad + first] : [head.padEnd(indent) + first];
  return [...lines, ...rest.map((line) => pad + line)];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
