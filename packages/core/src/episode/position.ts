import { type Board, readBoard } from "../definition/board.ts";
import { type LabelledChoice, readChoices } from "../definition/choice.ts";
import type { EpisodeContext, PolicyContext } from "../definition/context.ts";
import type { AnyDefinition } from "../definition/environment.ts";
import { RolloutError } from "../errors.ts";
import type { HookScope } from "../hook-scope.ts";
import { assistantMessage, type AssistantMessage } from "../message/message.ts";
import { randomPolicy } from "../model/policy.ts";

type AnyContext = EpisodeContext<never, never, unknown, never>;

/** A running episode as its definition sees it. */
export interface Position {
  readonly definition: AnyDefinition;
  readonly context: AnyContext;
  readonly scope: HookScope;
}

/** The legal replies in a position; `undefined` if the environment does not list them. */
export async function choicesIn({
  definition: { game: { choices } = {} },
  context,
  scope,
}: Position): Promise<readonly LabelledChoice[] | undefined> {
  if (choices === undefined) return undefined;
  return scope.run("environment", "choices", () => readChoices(choices(view(context))));
}

/** The position as a grid; `undefined` if the environment has no board. */
export async function boardOf({
  definition: { game: { board } = {} },
  context,
  scope,
}: Position): Promise<Board | undefined> {
  if (board === undefined) return undefined;
  return scope.run("environment", "board", () => readBoard(board(view(context))));
}

/** What a policy replies in a position; `undefined` if there is no policy of this name. */
export async function policyReply(
  position: Position,
  name: string,
  context: PolicyContext<never, never, unknown, never>,
): Promise<AssistantMessage | undefined> {
  const { definition, scope } = position;
  const { policies = {}, game } = definition;
  if (Object.hasOwn(policies, name)) {
    const policy = policies[name]!;
    const reply = await scope.run("environment", `the policy ${name}`, () => policy(context));
    return typeof reply === "string" ? assistantMessage(reply) : reply;
  }
  if (name !== randomPolicy || game?.choices === undefined) return undefined;
  const legal = (await choicesIn(position)) ?? [];
  if (legal.length > 0) return assistantMessage(context.random.pick(legal).reply);
  throw new RolloutError(
    "environment",
    "choices returned no reply, but the episode has not ended. List a legal reply, or end the episode in respond.",
  );
}

function view({ config, example, state, seat, messages, turns }: AnyContext) {
  return { config, example, state, seat, messages, turns };
}
