import { ConfigError } from "@envs/core";

/** One environment of a mix on the command line. */
export interface MixedReference {
  /** A package, a path, or another mix. */
  readonly reference: string;
  readonly weight: number;
}

/** Reads `mix(tictactoe=0.7, wordle=0.3)`; `undefined` for the reference of one environment. */
export function parseMix(reference: string): readonly MixedReference[] | undefined {
  const match = /^mix\((.*)\)$/s.exec(reference.trim());
  if (match === null) {
    if (!reference.trim().startsWith("mix(")) return undefined;
    throw new ConfigError(`${reference} lacks a closing parenthesis. ${example}`);
  }
  return listItems(match[1]!).map((item) => {
    const [, name = item, weight] = /^(.*)=([^=()]*)$/s.exec(item) ?? [];
    return { reference: name.trim(), weight: readWeight(reference, name.trim(), weight) };
  });
}

/** Replaces the reference of an environment, or of each environment of a mix. */
export async function mapReference(
  reference: string,
  replace: (reference: string) => string | Promise<string>,
): Promise<string> {
  const mixed = parseMix(reference);
  if (mixed === undefined) return await replace(reference);
  const parts = mixed.map(
    async (part) => `${await mapReference(part.reference, replace)}=${part.weight}`,
  );
  return `mix(${(await Promise.all(parts)).join(", ")})`;
}

const example = "Write the environments with their weights: mix(tictactoe=0.7, wordle=0.3).";

function readWeight(mix: string, name: string, text: string | undefined): number {
  const weight = text === undefined ? 1 : text.trim() === "" ? NaN : Number(text);
  if (name === "") throw new ConfigError(`${mix} has an item without an environment. ${example}`);
  if (Number.isFinite(weight) && weight > 0) return weight;
  throw new ConfigError(
    `The weight of ${name} in ${mix} is ${JSON.stringify(text)}. A weight is a number above 0. Leave out an environment that is not to be drawn.`,
  );
}

/** Splits at the commas outside of parentheses, which belong to a mix inside of this one. */
function listItems(text: string): readonly string[] {
  const items = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) items.push("");
    else items[items.length - 1] += character;
  }
  return items.map((item) => item.trim());
}
