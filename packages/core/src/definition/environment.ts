import type * as z from "zod";

import type { Dataset, Example } from "../dataset/example.ts";
import type { DeepReadonly } from "../json.ts";
import type { MediaDefinition } from "../message/check-content.ts";
import type { AssistantMessage, Message } from "../message/message.ts";
import type { End, Invalid } from "../message/stop.ts";
import type { SubModelDefinition } from "../model/sub-model.ts";
import type { Metrics, Rubric, ScoringDefinition } from "../rubric/rubric.ts";
import type { Board } from "./board.ts";
import type { Choice } from "./choice.ts";
import type {
  DatasetContext,
  EpisodeContext,
  PolicyContext,
  PositionContext,
  SetupContext,
  ToolsContext,
} from "./context.ts";
import type { Requirement } from "./requirement.ts";
import type { SeatIn, SeatsDefinition } from "./seat.ts";
import type { Tool, Toolset } from "./tool.ts";
import type { WorkspaceDefinition } from "./workspace.ts";

type Awaitable<Value> = Value | Promise<Value>;
type Setting<Value, Config> =
  | Value
  | ((context: { readonly config: DeepReadonly<Config> }) => Value);

/**
 * The state of an environment without `setup`. TypeScript prints its parameter in errors. It also infers this type if a required
 * key is missing.
 */
export interface NoState<
  Hint =
    "This environment has no state. Write setup above the functions that read it; name, dataset and rubric are required.",
> {
  readonly "~state"?: Hint;
}

/** How an episode begins and ends. */
export interface EpisodeDefinition<Config, E, State, Seat> {
  /** Messages between the system prompt and the example's prompt that show good replies. */
  readonly fewShot?: Setting<readonly Message[], Config> | undefined;
  /** How many messages the model may write: with `seats`, each seat. Default 1, or 16 with `respond` or `tools`. */
  readonly maxTurns?: Setting<number, Config> | undefined;
  /** Named conditions that end an episode. They are checked before the first turn and after each turn. */
  readonly stop?:
    | Readonly<
        Record<string, (context: EpisodeContext<Config, E, State, Seat>) => Awaitable<boolean>>
      >
    | undefined;
  /** Whether a tool call that cannot run is reported to the model (`tell`, the default) or fails the rollout. */
  readonly toolErrors?: "tell" | "fail" | undefined;
  /** Releases what `setup` acquired. Runs once, after scoring, also if the rollout failed. */
  close?(this: void, context: EpisodeContext<Config, E, State, Seat>): Awaitable<void>;
}

/** What people see and click when they play. */
export interface GameDefinition<Config, E, State, Seat> {
  /** The legal replies in a position, for people and the policy `random`. Pure. `respond` must accept exactly these. */
  choices?(
    this: void,
    context: PositionContext<Config, E, State, Seat>,
  ): readonly (string | Choice)[];
  /** Describes a position as a grid, which pages and terminals draw. Pure. A square can play one of the `choices`. */
  board?(this: void, context: PositionContext<Config, E, State, Seat>): Board;
}

/** Defines what the model is asked, how the environment reacts, and how a rollout is scored. */
export interface EnvironmentDefinition<
  Schema extends z.ZodObject,
  E extends Example,
  State,
  Inputs extends Readonly<Record<string, z.ZodObject>>,
  Name extends string,
  MetricName extends string = never,
  Seat extends string = never,
> {
  /** Kebab-case, the same as the package's name without its scope. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The options of the environment. Each has a default, so that a caller can omit all. */
  readonly config?: Schema | undefined;
  /** What the machine must have, such as `[python()]` of `@envs/sandbox`. Checked before the first model call. */
  readonly requires?: Setting<readonly Requirement[], z.output<Schema>> | undefined;
  readonly systemPrompt?: Setting<string, z.output<Schema>> | undefined;
  /** Returns examples as an array, a generator or an async generator, or a record of such splits. They are read lazily. */
  dataset(context: DatasetContext<z.output<Schema>>): Awaitable<Dataset<E>>;
  /**
   * Gives hooks `context.subModel`, which asks a model within a budget for each rollout. The record of the rollout keeps each
   * call as a branch.
   */
  readonly subModel?: SubModelDefinition<z.output<Schema>, NoInfer<E>> | undefined;
  /** Creates the state of one rollout. */
  setup?(context: SetupContext<z.output<Schema>, NoInfer<E>>): Awaitable<State>;
  /**
   * The tools by name, or a function that returns those of one rollout, after `setup`. A function types its tools with
   * {@link tool}.
   */
  readonly tools?:
    | {
        readonly [Key in keyof Inputs]: Tool<
          z.output<Schema>,
          NoInfer<E>,
          NoInfer<State>,
          Inputs[Key]
        >;
      }
    | ((
        context: ToolsContext<z.output<Schema>, NoInfer<E>, NoInfer<State>, SeatIn<Seat>>,
      ) => Awaitable<Toolset<z.output<Schema>, NoInfer<E>, NoInfer<State>>>)
    | undefined;
  /** The sides of an episode, each with its own conversation. Without `seats`, one model talks with the environment. */
  readonly seats?: SeatsDefinition<z.output<Schema>, NoInfer<E>, NoInfer<State>, Seat> | undefined;
  /**
   * The folder of an agent program: the files that it finds, and how its changes are saved. Models, which have no folder, play
   * without it.
   */
  readonly workspace?:
    | WorkspaceDefinition<z.output<Schema>, NoInfer<E>, NoInfer<State>, SeatIn<Seat>>
    | undefined;
  /**
   * Answers a reply without tool calls: with text, messages, `end()`, or `invalid()` for a reply that is not legal. Without
   * `respond`, such a reply ends the episode. With `seats`, only the seat that has replied reads the answer.
   */
  respond?(
    context: EpisodeContext<z.output<Schema>, NoInfer<E>, NoInfer<State>, SeatIn<Seat>>,
  ): Awaitable<string | readonly Message[] | End | Invalid>;
  /** Legal replies and a board, for people and for the policy `random`. */
  readonly game?:
    | GameDefinition<z.output<Schema>, NoInfer<E>, NoInfer<State>, SeatIn<Seat>>
    | undefined;
  /** How an episode begins and ends: `{ maxTurns: 6 }`. */
  readonly episode?:
    | EpisodeDefinition<z.output<Schema>, NoInfer<E>, NoInfer<State>, SeatIn<Seat>>
    | undefined;
  /** The minimum reward of a rollout that passes, for pass@k. Default 0.5. */
  readonly passThreshold?: number | undefined;
  /** What messages contain besides text: `{ kinds: ["image"] }`. */
  readonly media?: MediaDefinition | undefined;
  /** The scores that make up the reward. */
  readonly rubric: Rubric<z.output<Schema>, NoInfer<E>, NoInfer<State>, Name, SeatIn<Seat>>;
  /** Numbers that are recorded beside the scores and do not change the reward. */
  readonly metrics?:
    | Metrics<z.output<Schema>, NoInfer<E>, NoInfer<State>, MetricName, SeatIn<Seat>>
    | undefined;
  /**
   * Scripted players that see the state. The first must play best: the conformance suite checks this. An environment with
   * `choices` has the policy `random` as well.
   */
  readonly policies?:
    | Readonly<
        Record<
          string,
          (
            context: PolicyContext<z.output<Schema>, NoInfer<E>, NoInfer<State>, SeatIn<Seat>>,
          ) => Awaitable<string | AssistantMessage>
        >
      >
    | undefined;
}

/** A definition with erased types, which is what the engine runs. */
export type AnyDefinition = Omit<
  EnvironmentDefinition<
    z.ZodObject,
    Example,
    unknown,
    Readonly<Record<string, z.ZodObject>>,
    string,
    never,
    string
  >,
  keyof ScoringDefinition
> &
  ScoringDefinition & {
    /** The environments of a mix, by name. Each example is played by one of them, with `config[name]`. */
    readonly parts?: Readonly<Record<string, AnyDefinition>> | undefined;
  };

/** A definition with a valid config. */
export interface Environment<
  E extends Example = Example,
  State = unknown,
  Name extends string = string,
  Seat extends string = string,
> {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly definition: AnyDefinition;
  /** Carries the inferred types. It has no value at run time. */
  readonly "~types"?: {
    readonly example: E;
    readonly state: State;
    readonly score: Name;
    readonly seat: Seat;
  };
}

/** Creates an environment from a config. Throws a `ConfigError` that lists every invalid option. */
export interface EnvironmentFactory<
  Schema extends z.ZodObject = z.ZodObject,
  E extends Example = Example,
  State = unknown,
  Name extends string = string,
  Seat extends string = string,
> {
  (config?: z.input<Schema>): Environment<E, State, Name, Seat>;
  readonly definition: AnyDefinition;
}
