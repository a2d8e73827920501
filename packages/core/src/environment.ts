import type * as z from "zod";

import { parseConfig } from "./config.ts";
import type { DatasetContext, EpisodeContext, PolicyContext, SetupContext } from "./context.ts";
import { ConfigError } from "./errors.ts";
import type { Dataset, Example } from "./example.ts";
import type { AssistantMessage, Message } from "./message.ts";
import type { Metrics, Rubric, ScoringDefinition } from "./rubric.ts";
import { type End, isReserved } from "./stop.ts";

type Awaitable<Value> = Value | Promise<Value>;
type Settable<Value, Config> = Value | ((context: { readonly config: Config }) => Value);

/** The state of an environment without `setup`. If it surprises you, move `setup` above `respond` and `rubric`. */
export interface NoState {
  readonly "~state"?: never;
}

/** A tool: the model calls it by its name with input that fits the schema. */
export interface Tool<Config, E, State, Input extends z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  /** Text is told as it is, anything else as JSON; `end()` ends the episode. */
  execute(input: z.output<Input>, context: EpisodeContext<Config, E, State>): unknown;
}

/** What an environment is: what is asked, how it answers back, and what a good answer is worth. */
export interface EnvironmentDefinition<
  Schema extends z.ZodObject,
  E extends Example,
  State,
  Inputs extends Readonly<Record<string, z.ZodObject>>,
  Name extends string,
  MetricName extends string = never,
> {
  /** Kebab-case, the same as the package's name without its scope. */
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Options of the environment; each with a default, so that none needs to be given. */
  readonly config?: Schema;
  readonly systemPrompt?: Settable<string, z.output<Schema>>;
  /** Messages between the system prompt and the example's prompt, as examples of good answers. */
  readonly fewShot?: Settable<readonly Message[], z.output<Schema>>;
  /** How often the model may speak. Default 1, or 16 with `respond` or `tools`. */
  readonly maxTurns?: Settable<number, z.output<Schema>>;
  /** An array, a generator or an async generator of examples, or a record of splits of those. Read lazily. */
  dataset(context: DatasetContext<z.output<Schema>>): Awaitable<Dataset<E>>;
  /** Makes the state of one rollout. */
  setup?(context: SetupContext<z.output<Schema>, NoInfer<E>>): Awaitable<State>;
  readonly tools?: {
    readonly [Key in keyof Inputs]: Tool<z.output<Schema>, NoInfer<E>, NoInfer<State>, Inputs[Key]>;
  };
  /** What becomes of a tool call that cannot be run. Default `tell`: the model reads what is wrong. */
  readonly toolErrors?: "tell" | "fail";
  /** Answers a reply that calls no tool: with text, with messages, or with `end()`. Left out, such a reply ends the episode. */
  respond?(
    context: EpisodeContext<z.output<Schema>, NoInfer<E>, NoInfer<State>>,
  ): Awaitable<string | readonly Message[] | End>;
  /**
   * Tells whoever takes the environment's other side what they play: `You play O.` Set it if `respond` asks the `opponent`
   * of its context, where there is one, for what it decides itself otherwise.
   */
  readonly opponent?: string;
  /** Named conditions that end an episode, looked at before the first turn and after each. */
  readonly stop?: Readonly<
    Record<
      string,
      (context: EpisodeContext<z.output<Schema>, NoInfer<E>, NoInfer<State>>) => Awaitable<boolean>
    >
  >;
  /** Releases what `setup` acquired. Runs once after scoring, whatever happened. */
  close?(context: EpisodeContext<z.output<Schema>, NoInfer<E>, NoInfer<State>>): Awaitable<void>;
  /** The scores that make up the reward. */
  readonly rubric: Rubric<z.output<Schema>, NoInfer<E>, NoInfer<State>, Name>;
  /** Numbers that are recorded beside the scores and do not change the reward. */
  readonly metrics?: Metrics<z.output<Schema>, NoInfer<E>, NoInfer<State>, MetricName> | undefined;
  /** Scripted players that see the state. The first plays as well as can be: the conformance suite holds it to that. */
  readonly policies?: Readonly<
    Record<
      string,
      (
        context: PolicyContext<z.output<Schema>, NoInfer<E>, NoInfer<State>>,
      ) => Awaitable<string | AssistantMessage>
    >
  >;
}

/** A definition whose types are forgotten: what the engine runs. */
export type AnyDefinition = Omit<
  EnvironmentDefinition<
    z.ZodObject,
    Example,
    unknown,
    Readonly<Record<string, z.ZodObject>>,
    string
  >,
  keyof ScoringDefinition
> &
  ScoringDefinition;

/** An environment with its config: ready to be played. */
export interface Environment<
  E extends Example = Example,
  State = unknown,
  Name extends string = string,
> {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly definition: AnyDefinition;
  /** Carries the inferred types; there is no value. */
  readonly "~types"?: { readonly example: E; readonly state: State; readonly score: Name };
}

/** Makes an environment from a config. Throws a `ConfigError` that lists what is wrong with it. */
export interface EnvironmentFactory<
  Schema extends z.ZodObject = z.ZodObject,
  E extends Example = Example,
  State = unknown,
  Name extends string = string,
> {
  (config?: z.input<Schema>): Environment<E, State, Name>;
  readonly definition: AnyDefinition;
}

/** Defines an environment. Types flow downwards: write `config`, `dataset`, `setup`, `tools`, `respond`, `rubric` in this order. */
export function defineEnvironment<
  E extends Example,
  Name extends string,
  Schema extends z.ZodObject = z.ZodObject<Record<never, z.ZodType>>,
  Inputs extends Readonly<Record<string, z.ZodObject>> = Readonly<Record<never, z.ZodObject>>,
  State = NoState,
  MetricName extends string = never,
>(
  definition: EnvironmentDefinition<Schema, E, State, Inputs, Name, MetricName>,
): EnvironmentFactory<Schema, E, State, Name | MetricName> {
  checkNames(definition);
  const erased = definition as unknown as AnyDefinition;
  const create = (input?: z.input<Schema>): Environment<E, State, Name | MetricName> => ({
    name: definition.name,
    config: parseConfig(definition.name, definition.config, input ?? {}),
    definition: erased,
  });
  return Object.assign(create, { definition: erased });
}

interface Names {
  readonly name: string;
  readonly stop?: object | undefined;
  readonly rubric: object;
  readonly metrics?: object | undefined;
}

function checkNames({ name, stop = {}, rubric, metrics = {} }: Names): void {
  const reserved = Object.keys(stop).find(isReserved);
  if (reserved !== undefined)
    throw new ConfigError(
      `${name} has a stop condition named ${reserved}, which is a stop reason of the engine. Choose another name.`,
    );
  const duplicate = Object.keys(metrics).find((metric) => Object.hasOwn(rubric, metric));
  if (duplicate !== undefined)
    throw new ConfigError(
      `${name} has a score and a metric named ${duplicate}. Rename one of them.`,
    );
}

/** The example type of an environment or its factory. */
export type InferExample<From> = InferTypes<From>["example"];
/** The state type of an environment or its factory. */
export type InferState<From> = InferTypes<From>["state"];
/** The score names of an environment or its factory. */
export type InferScoreName<From> = InferTypes<From>["score"];

type InferTypes<From> = From extends (...config: never[]) => Environment<infer E, infer S, infer N>
  ? { example: E; state: S; score: N }
  : From extends Environment<infer E, infer S, infer N>
    ? { example: E; state: S; score: N }
    : never;
