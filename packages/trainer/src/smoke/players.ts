import { assistant, type Model, policy, random } from "@envs/core";

/** Says what was said at another time: a reply in the right form that does not belong here. */
export function mixedUp(replies: readonly string[]): Model {
  return async ({ seed = 0 }) => say(random("mixed up", seed).pick(replies));
}

/** Says what a policy would, with all characters in disorder. */
export function scrambled(name: string): Model {
  const play = policy(name);
  return async (request) => {
    const { message } = await play(request);
    const characters = Array.from(message.content);
    return say(
      random("scrambled", request.seed ?? 0)
        .shuffle(characters)
        .join(""),
    );
  };
}

/** Whom a beginner learns from. */
export interface Teachers {
  /** The policies of the environment, the best first. */
  readonly policies: readonly string[];
  /** What the best policy said at other times. */
  readonly replies: readonly string[];
  /** The share of turns in which the best policy speaks. */
  readonly share: number;
}

/**
 * A teacher that errs: some of its replies are those of the best policy, the others those of the environment's other
 * policies, or replies that do not belong here. Whoever imitates it learns the form, and leaves most of the content to find.
 */
export function weakTeacher({ policies, replies, share }: Teachers): Model {
  const [best, ...others] = policies.map((name) => policy(name));
  const bad = [...others, mixedUp(replies)];
  return (request) => {
    const dice = random("weak teacher", request.seed ?? 0);
    return (dice.next() < share ? best! : dice.pick(bad))(request);
  };
}

function say(text: string): Awaited<ReturnType<Model>> {
  return { message: assistant(text), finish: "stop" };
}
