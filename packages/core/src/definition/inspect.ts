import type { Example } from "../dataset/example.ts";
import { ConfigError } from "../errors.ts";
import { deepCopy, frozenCopy } from "../json.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import { asMessages, type Message } from "../message/message.ts";
import type { ModelCheck, ToolSpec } from "../model/model.ts";
import { randomPolicy } from "../model/policy.ts";
import { resolveSetting } from "./config.ts";
import type { AnyDefinition, Environment } from "./environment.ts";
import { bestPolicy, playedBy } from "./part.ts";
import { toolSpec, type Toolset } from "./tool.ts";

const toolSpecs = new WeakMap<AnyDefinition, readonly ToolSpec[]>();

/**
 * The tools of an environment, as the model sees them; `undefined` if each episode has its own, as `episode.tools`. Cached per
 * definition.
 */
export function toolSpecsOf({
  definition,
}: Pick<Environment, "definition">): readonly ToolSpec[] | undefined {
  const { tools = {} } = definition;
  if (typeof tools === "function") return undefined;
  let specs = toolSpecs.get(definition);
  if (specs === undefined) toolSpecs.set(definition, (specs = specsOf(tools)));
  return specs;
}

/** Tools as the model sees them. */
export function specsOf(tools: Toolset): readonly ToolSpec[] {
  const specs = Object.entries(tools).map(([name, tool]) => Object.freeze(toolSpec(name, tool)));
  return Object.freeze(specs);
}

/** The maximum number of turns in an environment. */
export function maxTurnsOf({ name, definition, config }: Environment): number {
  const { respond, tools, workspace } = definition;
  const isMultiTurn = respond !== undefined || tools !== undefined || workspace !== undefined;
  const turns = resolveSetting(definition.episode?.maxTurns, config) ?? (isMultiTurn ? 16 : 1);
  if (workspace !== undefined && turns === 1)
    throw new ConfigError(
      `episode.maxTurns of ${name} is 1, but it has a workspace, and saving it takes a turn before the reply. Set episode.maxTurns to at least 2.`,
    );
  if (Number.isInteger(turns) && turns >= 1) return turns;
  throw new ConfigError(
    `episode.maxTurns of ${name} is ${turns}. It must be a whole number of at least 1.`,
  );
}

/** The facts about an environment that a model's `check` receives. */
export function modelCheck(environment: Environment): ModelCheck {
  const { name, definition } = environment;
  if (typeof environment === "function")
    throw new ConfigError(
      `The environment is the factory of ${definition.name}. Call it, also without a config, and pass its result.`,
    );
  return { name, policies: policyNamesOf(environment), media: mediaLimitsOf(definition).kinds };
}

/** The names of an environment's policies, the best first. `random` is the last where `choices` provides it. */
export function policyNamesOf({
  definition: { policies = {}, game },
}: Pick<Environment, "definition">): readonly string[] {
  const names = Object.keys(policies);
  return game?.choices === undefined || names.includes(randomPolicy)
    ? names
    : [...names, randomPolicy];
}

/** The policy that plays when the caller asks for `name`, of the environment or of the mix that it is a part of. */
export function ownPolicy(
  { environment, part }: { readonly environment: Environment; readonly part: string | undefined },
  name: string,
): string {
  if (part === undefined || name !== bestPolicy) return name;
  return policyNamesOf(environment)[0] ?? name;
}

/**
 * The first messages of an episode: the system prompt, the few-shot messages, then the example's prompt. With seats, those of
 * one seat, by default of the first.
 */
export function promptOf(environment: Environment, example: Example, seatName?: string): Message[] {
  const isMix = environment.definition.parts !== undefined;
  const played = isMix ? playedBy(environment, example) : { environment, example };
  const { definition, config } = played.environment;
  const players = definition.seats?.players;
  const seat = players?.[seatName ?? Object.keys(players)[0]!];
  const opening =
    seat?.prompt?.({ config, example: frozenCopy(played.example) }) ?? played.example.prompt;
  const prompt = deepCopy(asMessages(opening));
  const systemPrompt = resolveSetting(seat?.systemPrompt ?? definition.systemPrompt, config);
  const fewShot = deepCopy(resolveSetting(definition.episode?.fewShot, config) ?? []);
  const [first, ...rest] = prompt;
  if (first?.role === "system") return [first, ...fewShot, ...rest];
  if (systemPrompt === undefined) return [...fewShot, ...prompt];
  return [{ role: "system", content: systemPrompt }, ...fewShot, ...prompt];
}
