import { ConfigError, RolloutError } from "../errors.ts";
import { type Model, type ModelCheck } from "./model.ts";
import { noUsage } from "./usage.ts";

/** The policy that picks one of the legal replies, in every environment with `choices`. */
export const randomPolicy = "random";

const policyPattern = /^([\w-]+)(?:\((-?\d+(?:\.\d+)?)\))?$/;

/** Parses the name of a policy, such as `optimal` or `mixed(0.3)`; `undefined` for any other text. */
export function parsePolicy(
  text: string,
): { readonly name: string; readonly parameter: number | undefined } | undefined {
  const match = policyPattern.exec(text);
  if (match === null) return undefined;
  const [, name = "", number] = match;
  return { name, parameter: number === undefined ? undefined : Number(number) };
}

/** A model that plays one of the environment's policies: `policy("optimal")`, `policy("mixed(0.3)")`. */
export function policy(name: string): Model {
  const parsed = parsePolicy(name);
  if (parsed === undefined)
    throw new ConfigError(
      `${JSON.stringify(name)} is not the name of a policy. Write a name such as optimal, or one with a number such as mixed(0.3).`,
    );
  const { name: base, parameter } = parsed;
  const play: Model = async ({ askPolicy }) => {
    if (askPolicy === undefined)
      throw new RolloutError(
        "model",
        `policy:${name} requires an episode of its environment. It cannot answer other requests.`,
      );
    const message = await askPolicy(base, parameter);
    const finish = message.tool_calls === undefined ? "stop" : "tool_calls";
    return { message, finish, usage: noUsage };
  };
  const check = (environment: ModelCheck): void => {
    if (!environment.policies.includes(base)) throw unknownPolicy(environment, base);
  };
  return Object.assign(play, { id: `policy:${name}`, check });
}

/** Creates the error for a policy that the environment does not have. */
export function unknownPolicy({ name, policies }: ModelCheck, policy: string): ConfigError {
  const hint = policies.length === 0 ? "It has no policies." : `It has: ${policies.join(", ")}.`;
  return new ConfigError(`${name} has no policy named ${JSON.stringify(policy)}. ${hint}`);
}
