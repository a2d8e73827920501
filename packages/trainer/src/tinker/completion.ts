import { ConfigError } from "@envs/core";
import type { Completion } from "@envs/tiny-model";
import type * as z from "zod";

import type { sampled } from "./answers.ts";
import { ServiceError } from "./service-error.ts";

type Sequence = z.output<typeof sampled>["sequences"][number];

/** Checks what was sampled, since training on what was not sampled so would be wrong in silence. */
export function readCompletion(
  { tokens, logprobs, stop_reason: finish }: Sequence,
  { stopIds, maxTokens }: { readonly stopIds: readonly number[]; readonly maxTokens: number },
): Completion {
  if (logprobs?.length !== tokens.length)
    throw new ServiceError(
      `The service sampled ${tokens.length} tokens but sent ${logprobs?.length ?? "no"} log-probabilities. Without one for each token nothing can be learned.`,
      { isFatal: true },
    );
  if (tokens.length === 0 || tokens.length > maxTokens)
    throw new ServiceError(
      `The service sampled ${tokens.length} tokens where 1 to ${maxTokens} were asked for.`,
      { isFatal: true },
    );
  const last = tokens.at(-1)!;
  if (finish === "stop" && !stopIds.includes(last))
    throw new ConfigError(
      `The service stopped after token ${last}, which is not among the renderer's stopIds (${stopIds.join(", ")}). Add the token to them if it ends a text, such as the model's end-of-text; if not, the service leaves the stop token out, which training needs.`,
    );
  return {
    ids: tokens,
    logprobs: logprobs.map((value) => value ?? Number.NEGATIVE_INFINITY),
    finish,
  };
}
