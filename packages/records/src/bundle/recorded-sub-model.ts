import { type Branch, type Model, type ModelRequest, RolloutError } from "@envs/core";
import { contentHash, noUsage, omitUndefined } from "@envs/core/engine";

import type { RecordedBranch } from "./methods.ts";

/** The data from which a bundle repeats the answer to a sub-model call. */
export function recordedBranch(branch: Branch): RecordedBranch {
  const { message, finish, usage, isOverflow } = branch;
  return { request: requestHash(branch), message, finish, ...omitUndefined({ usage, isOverflow }) };
}

/**
 * A model that repeats the replies in the branches of a record; equal requests get theirs in order. Fails on a request that is
 * not in the record, because then the environment asks something different.
 */
export function recordedSubModel(branches: readonly RecordedBranch[] = []): Model {
  const replies = new Map<string, RecordedBranch[]>();
  for (const branch of branches) {
    const equal = replies.get(branch.request) ?? [];
    replies.set(branch.request, [...equal, branch]);
  }
  const model: Model = async (request) => {
    const recorded = replies.get(requestHash(request))?.shift();
    if (recorded === undefined)
      throw new RolloutError(
        "model",
        "The record has no reply to a sub-model call: the environment asks something different now.",
      );
    const { message, finish, usage = noUsage, isOverflow } = recorded;
    if (isOverflow === true)
      throw new RolloutError("model", "The recorded call exceeded the context.", { isOverflow });
    return { message, finish, usage };
  };
  return Object.assign(model, { id: "record" });
}

/** The key of a request. Replies are found by their request, because the order of concurrent calls is not determined. */
function requestHash({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): string {
  return contentHash(omitUndefined({ messages, tools }));
}
