import * as z from "zod";

import { ConfigError } from "../errors.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import { randomPolicy } from "../model/policy.ts";
import { requirementsOf } from "./check-requirements.ts";
import { defineEnvironment } from "./define-environment.ts";
import { type AnyDefinition, type Environment, type EnvironmentFactory } from "./environment.ts";
import {
  type InferExample,
  type InferScoreName,
  type InferSeat,
  type InferState,
} from "./infer.ts";
import { maxTurnsOf, policyNamesOf } from "./inspect.ts";
import { mixedDataset } from "./mixed-rows.ts";
import { bestPolicy, partsOf } from "./part.ts";
import { playedByPart, unionOfBudgets, unionOfScores } from "./union.ts";

/** What a part of a mix plays: an environment, or a factory, whose options become options of the mix. */
export type PartSource =
  | (((...config: never[]) => Environment) & Pick<EnvironmentFactory, "definition">)
  | Environment;

/** One environment of a mix. */
export interface MixPart<Source extends PartSource = PartSource> {
  readonly environment: Source;
  /** How often it is drawn, relative to the other parts. Default 1. */
  readonly weight?: number | undefined;
}

/** Several environments as one. */
export interface MixDefinition<Parts extends Readonly<Record<string, MixPart>>> {
  /** Kebab-case, the same as the package's name without its scope. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The environments by the names that keys of examples, options and summaries use. */
  readonly parts: Parts;
}

type SchemaOf<Source> =
  Source extends EnvironmentFactory<infer Schema, infer _E, infer _State, infer _Name>
    ? Schema
    : z.ZodObject;

/** The options of a mix: `weights`, and those of each part under its name. */
export type MixConfig<Parts extends Readonly<Record<string, MixPart>>> = z.ZodObject<
  {
    readonly weights: z.ZodPrefault<
      z.ZodObject<{ readonly [Name in keyof Parts]: z.ZodDefault<z.ZodNumber> }>
    >;
  } & {
    readonly [Name in keyof Parts]: z.ZodPrefault<SchemaOf<Parts[Name]["environment"]>>;
  }
>;

/** An example of a part, whose `id` starts with the name of the part. */
export type MixExample<Parts extends Readonly<Record<string, MixPart>>> = {
  [Name in keyof Parts & string]: Omit<InferExample<Parts[Name]["environment"]>, "id"> & {
    readonly id: `${Name}/${string}`;
  } & Pick<InferExample<Parts[Name]["environment"]>, "prompt">;
}[keyof Parts & string];

/**
 * Makes several environments one, and returns its factory. Each example is played and scored by the part that it comes from,
 * as if it were played alone; the scores of other parts are `null`.
 */
export function mix<const Parts extends Readonly<Record<string, MixPart>>>(
  definition: MixDefinition<Parts>,
): EnvironmentFactory<
  MixConfig<Parts>,
  MixExample<Parts>,
  InferState<Parts[keyof Parts]["environment"]>,
  InferScoreName<Parts[keyof Parts]["environment"]>,
  InferSeat<Parts[keyof Parts]["environment"]>
> {
  const { name, parts } = definition;
  checkParts(name, parts);
  const parted = Object.entries(parts).map(
    ([part, { environment }]) => [part, environmentOf(environment)] as const,
  );
  const environments = parted.map(([, environment]) => environment);
  const limits = environments.map((environment) => mediaLimitsOf(environment.definition));
  const games = environments.map((environment) => environment.definition.game);
  const has = (hook: keyof AnyDefinition): boolean =>
    environments.some((environment) => environment.definition[hook] !== undefined);
  const union: AnyDefinition = {
    name,
    description: definition.description,
    tags: definition.tags ?? [
      ...new Set(environments.flatMap((each) => each.definition.tags ?? [])),
    ],
    config: configOf(parts),
    media: {
      kinds: [...new Set(limits.flatMap(({ kinds }) => kinds))],
      maxBytes: Math.max(...limits.map(({ maxBytes }) => maxBytes)),
    },
    requires: ({ config }) => [
      ...new Set(partsIn(union, config).flatMap(([, part]) => requirementsOf(part))),
    ],
    episode: {
      maxTurns: ({ config }) =>
        Math.max(...partsIn(union, config).map(([, part]) => maxTurnsOf(part))),
    },
    dataset({ config, random }) {
      const { weights } = config as { readonly weights: Readonly<Record<string, number>> };
      const weighted = partsIn(union, config).map(([part, environment]) => {
        return { name: part, weight: weights[part]!, environment };
      });
      return mixedDataset(name, weighted, { random });
    },
    ...(has("subModel") && { subModel: unionOfBudgets((config) => partsIn(union, config)) }),
    ...(has("setup") && { setup: playedByPart }),
    ...(has("tools") && { tools: playedByPart }),
    ...(has("respond") && { respond: playedByPart }),
    game: {
      ...(games.some((game) => game?.board !== undefined) && { board: playedByPart }),
      ...(games.every((game) => game?.choices !== undefined) && { choices: playedByPart }),
    },
    ...unionOfScores(parted),
    policies: Object.fromEntries(policiesOf(environments).map((policy) => [policy, playedByPart])),
    parts: Object.fromEntries(parted.map(([part, environment]) => [part, environment.definition])),
  };
  return defineEnvironment(union as never) as never;
}

function environmentOf(source: PartSource): Environment {
  return typeof source === "function" ? source() : source;
}

function partsIn(definition: AnyDefinition, config: unknown) {
  return partsOf({ name: definition.name, definition, config: config as Environment["config"] });
}

/** `best` plays the first policy of each part. The other policies of a mix are those that every part has. */
function policiesOf(environments: readonly Environment[]): readonly string[] {
  const [first = [], ...others] = environments.map(policyNamesOf);
  if (first.length === 0 || others.some((names) => names.length === 0)) return [];
  const common = first.filter((policy) => others.every((names) => names.includes(policy)));
  return [...new Set([bestPolicy, ...common.filter((policy) => policy !== randomPolicy)])];
}

function configOf(parts: Readonly<Record<string, MixPart>>): z.ZodObject {
  const weights = Object.entries(parts).map(([name, { weight = 1 }]) => [name, weight] as const);
  const configs = Object.entries(parts).map(([name, { environment }]) => {
    const schema = schemaOf(environment).strict().prefault({});
    return [name, schema.describe(`The options of ${name}`)] as const;
  });
  return z.object({
    weights: z
      .object(
        Object.fromEntries(
          weights.map(([name, weight]) => [name, z.number().positive().default(weight)]),
        ),
      )
      .strict()
      .prefault(Object.fromEntries(weights))
      .describe("How often each part is drawn, relative to the others"),
    ...Object.fromEntries(configs),
  });
}

/** The options of a part. Values that the author of the mix has set become the defaults. */
function schemaOf(source: PartSource): z.ZodObject {
  const schema: z.ZodObject = source.definition.config ?? z.object({});
  if (typeof source === "function") return schema;
  const options = Object.entries(source.config).map(([name, value]) => {
    return [name, (schema.shape[name] as z.ZodType).prefault(value)] as const;
  });
  return schema.safeExtend(Object.fromEntries(options));
}

function checkParts(mixName: string, parts: Readonly<Record<string, MixPart>>): void {
  const entries = Object.entries(parts);
  if (entries.length === 0)
    throw new ConfigError(
      `${mixName} mixes no environments. Add one: parts: { wordle: { environment: wordle } }.`,
    );
  for (const [name, { environment, weight = 1 }] of entries) {
    if (!/^[a-z][\w-]*$/i.test(name) || name === "weights")
      throw new ConfigError(
        `${mixName} has a part named ${JSON.stringify(name)}. ${name === "weights" ? "Choose another name: weights is an option of the mix" : "A name is letters, digits, _ and -, and starts with a letter"}.`,
      );
    const { definition } = environment as Partial<Environment>;
    if (definition?.rubric === undefined)
      throw new ConfigError(
        `The part ${name} of ${mixName} is not an environment. Pass the result of defineEnvironment(), or call it: ${name}: { environment: ${name}() }.`,
      );
    if (!(Number.isFinite(weight) && weight > 0))
      throw new ConfigError(
        `The part ${name} of ${mixName} has the weight ${weight}. A weight is a finite number above 0. Leave out a part that is not to be drawn.`,
      );
  }
}
