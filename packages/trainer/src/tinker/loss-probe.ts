import { ConfigError } from "@envs/core";

import { forwardOperation } from "./forward-pass.ts";
import type { ForwardOutput } from "./responses.ts";
import { encodeTokens } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";
import type { ServiceLoss } from "./service-loss.ts";
import type { Operation, TrainingClient } from "./training-client.ts";

/** A datum of one token with the inputs of every loss. */
const inputs = { dtype: "float32", data: [0], shape: [1] } as const;
const datum = {
  model_input: encodeTokens([0]),
  loss_fn_inputs: {
    target_tokens: { dtype: "int64", data: [0], shape: [1] },
    logprobs: inputs,
    advantages: inputs,
  },
} as const;

/** The request of a pass over one token. */
export function oneTokenPass(loss: ServiceLoss): Operation<ForwardOutput> {
  return forwardOperation({ ...loss, data: [datum] }, "forward_backward");
}

/**
 * Throws a `ConfigError` if the service rejects the loss. Services that list no losses still validate a request before they
 * look for its model, so a request for a model that does not exist shows it: it costs nothing and computes nothing. A
 * service that answers otherwise leaves the question open.
 */
export async function probeLoss(training: TrainingClient, loss: ServiceLoss): Promise<void> {
  const error = await training.probe(oneTokenPass(loss));
  if (!(error instanceof ServiceError) || (error.status !== 422 && error.status !== 400)) return;
  if (!error.detail.includes("loss_fn")) return;
  throw new ConfigError(
    `${training.service.baseURL} rejects the loss ${loss.loss_fn} (${error.detail.slice(0, 300)}). Choose another loss, or update the server.`,
  );
}
