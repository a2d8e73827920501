import { assistantMessage, type Model, policy, random } from "@envs/core";

/**
 * A model that answers with a random one of `replies`: the format is valid, but the content belongs to another turn. With the
 * name of a policy, the reply differs from that policy's, unless all are equal.
 */
export function mixedUpModel(replies: readonly string[], policyName?: string): Model {
  const model = policyName === undefined ? undefined : policy(policyName);
  return async (request) => {
    const own = (await model?.(request))?.message.content;
    const others = replies.filter((reply) => reply !== own);
    const stream = random("mixed up", request.seed ?? 0);
    return replyWith(stream.pick(others.length === 0 ? replies : others));
  };
}

/** A model that answers with a policy's reply, its characters shuffled. */
export function scrambledModel(policyName: string): Model {
  const model = policy(policyName);
  return async (request) => {
    const { message } = await model(request);
    const characters = Array.from(message.content);
    const stream = random("scrambled", request.seed ?? 0);
    return replyWith(stream.shuffle(characters).join(""));
  };
}

/** How often a padded reply contains the policy's. */
const copies = 8;

/** A model that answers with several copies of a policy's reply. */
export function paddedModel(policyName: string): Model {
  const model = policy(policyName);
  return async (request) => {
    const { message } = await model(request);
    return replyWith(Array.from({ length: copies }, () => message.content).join("\n"));
  };
}

export interface WeakTeacherOptions {
  /** The policies of the environment, the best first. */
  readonly policies: readonly string[];
  /** Replies of the best policy to other messages. */
  readonly replies: readonly string[];
  /** The share of turns in which the best policy replies. */
  readonly share: number;
}

/**
 * A model whose replies come from the best policy, from the environment's other policies, or from other turns. Imitating it
 * teaches the format and leaves most of the content to reinforcement learning.
 */
export function weakTeacher({ policies, replies, share }: WeakTeacherOptions): Model {
  const [best, ...others] = policies.map((name) => policy(name));
  const worse = [...others, mixedUpModel(replies)];
  return (request) => {
    const stream = random("weak teacher", request.seed ?? 0);
    return (stream.next() < share ? best! : stream.pick(worse))(request);
  };
}

function replyWith(text: string): Awaited<ReturnType<Model>> {
  return { message: assistantMessage(text), finish: "stop" };
}
