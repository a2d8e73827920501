import { ConfigError } from "@envs/core";
import type { Completion } from "@envs/tiny-model";
import type * as z from "zod";

import type { samples } from "./responses.ts";
import { ServiceError } from "./service-error.ts";

type SampledSequence = z.output<typeof samples>["sequences"][number];

/** Converts a sampled sequence to a completion. Throws if it is inconsistent: training on it would fail silently. */
export function toCompletion(
  { tokens, logprobs, stop_reason: finish }: SampledSequence,
  { stopIds, maxTokens }: { readonly stopIds: readonly number[]; readonly maxTokens: number },
): Completion {
  if (logprobs?.length !== tokens.length)
    throw new ServiceError(
      `The service sampled ${tokens.length} tokens but sent ${logprobs?.length ?? "no"} log-probabilities. Training needs one for each token.`,
      { isFatal: true },
    );
  if (tokens.length === 0 || tokens.length > maxTokens)
    throw new ServiceError(
      `The service sampled ${tokens.length} tokens, but the request was for 1 to ${maxTokens}.`,
      { isFatal: true },
    );
  const last = tokens.at(-1)!;
  if (finish === "stop" && !stopIds.includes(last))
    throw new ConfigError(
      `The service stopped after token ${last}, which is not among the renderer's stopIds (${stopIds.join(", ")}). If the token ends a text, such as the model's end-of-text token, add it to stopIds. Otherwise the service omits the stop token, which training needs.`,
    );
  return {
    ids: tokens,
    logprobs: logprobs.map((value) => value ?? Number.NEGATIVE_INFINITY),
    finish,
  };
}
