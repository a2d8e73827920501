import type * as z from "zod";

/** The part of a random source that this package needs. */
export interface RandomSource {
  int(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** A call as the model should make it. */
export interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A request in words, and the arguments that it asks for. */
export interface Request {
  readonly text: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A skill of an assistant: a tool, its simulation, and a generator of requests that need it. */
export interface Skill<Input extends z.ZodObject = z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  request(random: RandomSource): Request & { readonly arguments: z.input<Input> };
  /** Simulates a call. The same call always has the same result. */
  run(input: z.output<Input>): unknown;
}

/** Infers the types of a skill. */
export function skill<Input extends z.ZodObject>(definition: Skill<Input>): Skill<Input> {
  return definition;
}

/** A number from 0 to `bound - 1` that depends on the text only. */
export function numberOf(text: string, bound: number): number {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_003;
  return hash % bound;
}
