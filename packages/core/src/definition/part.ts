import type { Example } from "../dataset/example.ts";
import { ConfigError } from "../errors.ts";
import { contentHash } from "../json.ts";
import type { Environment } from "./environment.ts";

/** The policy of a mix that plays the first policy of each part. */
export const bestPolicy = "best";

/** The environment that plays an example, and the example as its dataset has it. */
export interface Played {
  readonly environment: Environment;
  readonly example: Example;
  /** The key of the example in the dataset of its environment. */
  readonly key: string;
  /** The name of the part in a mix, such as `wordle`, or `games/wordle` in a mix of mixes. Otherwise `undefined`. */
  readonly part: string | undefined;
}

/** Routes an example of a mix to the part that plays it. An example of another environment is played by that. */
export function playedBy(
  environment: Environment,
  example: Example,
  key: string = example.id ?? contentHash(example),
): Played {
  const { parts } = environment.definition;
  if (parts === undefined) return { environment, example, key, part: undefined };
  const name = key.slice(0, Math.max(0, key.indexOf("/")));
  if (!Object.hasOwn(parts, name)) throw unknownPart(environment.name, key, Object.keys(parts));
  const inner = playedBy(
    partOf(environment, name),
    ownExample(example, key.slice(name.length + 1)),
    key.slice(name.length + 1),
  );
  return { ...inner, part: inner.part === undefined ? name : `${name}/${inner.part}` };
}

/** One part of a mix as an environment, with its config in the mix. */
function partOf({ definition, config }: Environment, name: string): Environment {
  const part = definition.parts![name]!;
  return {
    name: part.name,
    config: config[name] as Readonly<Record<string, unknown>>,
    definition: part,
  };
}

/** All parts of a mix by name; none for another environment. */
export function partsOf(environment: Environment): readonly (readonly [string, Environment])[] {
  const names = Object.keys(environment.definition.parts ?? {});
  return names.map((name) => [name, partOf(environment, name)]);
}

/** An example of a part, as the mix yields it. */
export function mixedExample<E extends Example>(part: string, example: E, key: string): E {
  return { ...example, id: `${part}/${key}` };
}

/** Reverses {@link mixedExample}. An example without an `id` has the hash of its content as its key. */
function ownExample(example: Example, key: string): Example {
  const { id: _, ...content } = example;
  const hash = contentHash(content);
  return key === hash || key.startsWith(`${hash}-`) ? content : { ...content, id: key };
}

function unknownPart(mix: string, key: string, names: readonly string[]): ConfigError {
  return new ConfigError(
    `The example ${JSON.stringify(key)} does not belong to a part of ${mix}. Its id starts with the name of a part and a slash: ${names.map((name) => `${name}/…`).join(", ")}. Pass an example of the mix, as examples() yields them.`,
  );
}
