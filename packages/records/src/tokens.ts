import { type Fields, fieldsOf, listOf, numberOf, textOf } from "./json.ts";
import type { RecordedToken } from "./read-rollout.ts";

/** Reads the tokens of a turn: parallel lists of ids and log-probabilities. */
export function tokensOf(tokens: Fields): readonly RecordedToken[] {
  return zipped(listOf(tokens["completion_ids"]), {
    logprobs: tokens["completion_logprobs"],
    advantages: tokens["completion_advantages"],
  });
}

/** Reads the tokens of a node of verifiers' message graph: the sampled tokens among all of the node. */
export function nodeTokensOf(node: Fields): readonly RecordedToken[] {
  const mask = listOf(node["mask"]);
  const sampled = listOf(node["token_ids"]).filter(
    (_, index) => mask[index] === true || mask[index] === 1,
  );
  return zipped(sampled, node);
}

function zipped(
  ids: readonly unknown[],
  fields: { readonly logprobs?: unknown; readonly advantages?: unknown },
): readonly RecordedToken[] {
  const [logprobs, advantages] = [listOf(fields.logprobs), listOf(fields.advantages)];
  return ids.map((id, index) => ({
    id: numberOf(id),
    text: undefined,
    logprob: numberOf(logprobs[index]),
    advantage: numberOf(advantages[index]),
    alternatives: [],
  }));
}

/** Reads the `logprobs` of a choice, as OpenAI and Inspect write them. */
export function choiceTokensOf(logprobs: unknown): readonly RecordedToken[] {
  return listOf(fieldsOf(logprobs)["content"])
    .map(fieldsOf)
    .map((token) => ({
      id: undefined,
      text: textOf(token["token"]),
      logprob: numberOf(token["logprob"]),
      advantage: undefined,
      alternatives: listOf(token["top_logprobs"]).flatMap((other) => {
        const { token: text, logprob } = fieldsOf(other);
        return typeof text === "string" && typeof logprob === "number" ? [{ text, logprob }] : [];
      }),
    }));
}
