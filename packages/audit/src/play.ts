import {
  type Environment,
  type JudgeModels,
  type Message,
  type Model,
  type Rollout,
  rollouts,
} from "@envs/core";
import { type KeyedExample, replay } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";

/** An environment with its models and limits. */
export interface Players {
  readonly environment: Environment;
  /** Default: judged scores are left out of rewards. */
  readonly judge: JudgeModels | undefined;
  readonly seed: number;
  /** Aborted at the time limit of the rule. */
  readonly signal: AbortSignal;
  /** The time limit of each call of the author's code, in milliseconds. */
  readonly hookTimeout: number;
  /** Awaited with the conversation before each step, so that a report can show the turn of an endless loop. */
  readonly onTurn?:
    | ((exampleKey: string, messages: readonly Message[]) => Promise<void>)
    | undefined;
}

/** Plays one example. A rollout that fails is data; an aborted rule throws. */
export async function play(subject: Players, keyed: KeyedExample, model: Model): Promise<Rollout> {
  const [rollout] = await playGroup(subject, keyed, { model, size: 1 });
  return rollout!;
}

/** Plays one example several times, in order of the rollouts. */
export async function playGroup(
  { environment, judge, seed, signal, hookTimeout, onTurn }: Players,
  keyed: KeyedExample,
  { model, size }: { readonly model: Model; readonly size: number },
): Promise<readonly Rollout[]> {
  const played: Rollout[] = [];
  const options = {
    model:
      onTurn === undefined ? model : observed(model, (messages) => onTurn(keyed.key, messages)),
    // A script of replies cannot answer the questions of the environment's code.
    subModel: environment.definition.subModel?.policy === undefined ? undefined : scriptedSubModel,
    judge,
    skipJudged: judge === undefined,
    seed,
    signal,
    hookTimeout,
    // oxlint-disable-next-line require-await -- `select` is a generator of rows
    async *select() {
      yield keyed;
    },
    examples: 1,
    rolloutsPerExample: size,
  };
  for await (const rollout of rollouts(environment, options)) played.push(rollout);
  signal.throwIfAborted();
  return played.toSorted((left, right) => left.rolloutIndex - right.rolloutIndex);
}

/** Answers as `subModel.policy` of the environment does. */
const scriptedSubModel: Model = async ({ askPolicy }) => ({
  message: await askPolicy!(""),
  finish: "stop",
  usage: { inputTokens: 0, outputTokens: 0 },
});

function observed(model: Model, onTurn: (messages: readonly Message[]) => Promise<void>): Model {
  return async (request) => {
    const response = await model(request);
    await onTurn([...request.messages, response.message]);
    return response;
  };
}

/** A model that replies with the model's messages of a recorded rollout. */
export function repeating({ completion }: Pick<Rollout, "completion">): Model {
  const messages = completion.filter((message) => message.role === "assistant");
  return messages.length === 0 ? saying("") : scriptedModel(...messages);
}

/** A model that replies the same text in each turn. */
export function saying(text: string): Model {
  return scriptedModel(text);
}

/** The reward of recorded messages with another example under the same key, so that only the example differs. `null`: it failed. */
export async function rewardOf(
  { environment, judge, seed, signal, hookTimeout }: Players,
  { example, key }: KeyedExample,
  completion: readonly Message[],
): Promise<number | null> {
  signal.throwIfAborted();
  try {
    const replayed = await replay(environment, example, {
      key,
      seed,
      completion,
      judge,
      signal,
      hookTimeout,
    });
    try {
      return (await replayed.score({ skipJudged: judge === undefined })).reward;
    } finally {
      await replayed.close();
    }
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
