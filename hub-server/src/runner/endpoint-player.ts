import { type Model, type ModelRequest, RolloutError } from "@envs/core";
import { isRolloutError } from "@envs/core/engine";
import { openai } from "@envs/models";
import { costOf } from "@envs/models/prices";

import type { Endpoint } from "../platform/config/models-file.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { reserveCost } from "../rescoring/replay-usage.ts";
import { PlayProblem } from "./play-problem.ts";
import type { Player, PlayNeeds, Requester } from "./player.ts";

/** The tokens that a chat template may add to a message. */
const templateTokens = 32;
const retries = 2;

/** A model on a server that the operator configured under exactly the name of the run's model. */
export function endpointPlayer(hub: Hub, { run, rollouts, requester }: PlayNeeds): Player {
  const { model: name, sampling } = run.recipe;
  const { HUB_MODELS: file } = hub.settings;
  const endpoint = file && Object.hasOwn(file.models, name) ? file.models[name] : undefined;
  if (file === undefined || endpoint === undefined)
    throw refused(
      `This hub does not play ${JSON.stringify(name)}. It plays policies, published tiny models, and models that its operator configured.`,
    );
  const { users, maxRollouts = Infinity, maxTokens, price, concurrency } = endpoint;
  if (requester !== undefined && users?.includes(requester.name) === false)
    throw refused(`The operator of this hub does not let ${requester.name} play ${name}.`);
  if (rollouts > maxRollouts)
    throw refused(
      `The run has ${rollouts} rollouts. This hub plays at most ${maxRollouts} with ${name}.`,
    );
  const limit = sampling["max_tokens"];
  if (typeof limit === "number" && limit > maxTokens)
    throw refused(
      `Replies of the run have up to ${limit} tokens. This hub permits ${maxTokens} with ${name}.`,
    );
  const budget = file.costPerUserAndDay;
  return {
    concurrency,
    price: { ...price, source: "the operator of this hub" },
    async start({ requester: user }) {
      const model = limited(hub, {
        name,
        endpoint,
        budget,
        user,
        isCapped: typeof limit !== "number",
      });
      return { model, [Symbol.dispose]: () => {} };
    },
  };
}

function refused(reason: string): PlayProblem {
  return new PlayProblem("refused", reason);
}

/** A model that asks the server only while the budget of the user pays for the most that a reply can cost. */
function limited(
  hub: Hub,
  {
    name,
    endpoint,
    budget,
    user,
    isCapped,
  }: {
    readonly name: string;
    readonly endpoint: Endpoint;
    readonly budget: number;
    readonly user: Requester;
    /** The run does not limit its replies, but the hub does. */
    readonly isCapped: boolean;
  },
): Model {
  const { baseURL, model = name, apiKeyVariable, price, maxTokens } = endpoint;
  const apiKey = apiKeyVariable === undefined ? "none" : process.env[apiKeyVariable];
  const served = openai(model, { baseURL, apiKey, retries: 0 });
  const reserve = async (cost: number): Promise<boolean> =>
    await reserveCost(hub.database, user.id, { cost, budget, now: hub.clock() });

  const askOnce = async (request: ModelRequest) => {
    const inputTokens = mostTokens(request);
    const most = costOf({ inputTokens, outputTokens: maxTokens }, price);
    if (!(await reserve(most)))
      throw new PlayProblem(
        "cost",
        `The next reply may cost ${most.toPrecision(2)}, which exceeds the rest of today's ${budget} for ${user.name}.`,
      );
    // A call that fails may have been billed, so its reservation stays.
    const response = await served(request);
    if (response.usage !== undefined) await reserve(costOf(response.usage, price) - most);
    return response;
  };
  return async (request) => {
    const sampling = { ...request.sampling, maxTokens: request.sampling?.maxTokens ?? maxTokens };
    for (let attempt = 0; ; attempt += 1)
      try {
        const response = await askOnce({ ...request, sampling });
        if (!isCapped || response.finish !== "length") return response;
        throw new RolloutError(
          "model",
          `A reply reached this hub's limit of ${maxTokens} tokens, which the run does not have.`,
        );
      } catch (error) {
        request.signal.throwIfAborted();
        if (!isRolloutError(error) || error.isOverflow) throw error;
        if (attempt < retries && isTransient(error)) continue;
        throw withoutAddress(error, baseURL);
      }
  };
}

/** The most tokens that a request can have: a token is at least one byte of the text. */
function mostTokens({ messages, tools }: ModelRequest): number {
  return Buffer.byteLength(JSON.stringify([messages, tools])) + templateTokens * messages.length;
}

function isTransient({ isFatal, status = 0 }: RolloutError): boolean {
  return !isFatal && (status === 429 || status >= 500);
}

/** Runs are public, and the address of the server may not be. */
function withoutAddress(error: RolloutError, baseURL: string): RolloutError {
  const { host, origin } = new URL(baseURL);
  const message = error.message
    .replaceAll(baseURL, "[server]")
    .replaceAll(origin, "[server]")
    .replaceAll(host, "[server]");
  return new RolloutError(error.code, message, { isFatal: error.isFatal, status: error.status });
}
