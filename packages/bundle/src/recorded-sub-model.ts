import { type Branch, type Model, type ModelRequest, RolloutError } from "@envs/core";
import { contentHash, noUsage, omitUndefined } from "@envs/core/engine";

import type { RecordedBranch } from "./methods.ts";

/** What a bundle receives to answer a sub-model call as it was answered. */
export function recordedBranch(branch: Branch): RecordedBranch {
  const { message, finish, usage, isOverflow } = branch;
  return { request: requestHash(branch), message, finish, ...omitUndefined({ usage, isOverflow }) };
}

/**
 * A model that replies as the branches of a record do, to equal requests in their order. Fails on a request that the record does
 * not have: the environment asks something else than it did.
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
        "The record has no reply to a sub-model call: the environment asks something else than it did.",
      );
    const { message, finish, usage = noUsage, isOverflow } = recorded;
    if (isOverflow === true)
      throw new RolloutError("model", "The recorded call exceeded the context.", { isOverflow });
    return { message, finish, usage };
  };
  return Object.assign(model, { id: "record" });
}

/** The order of concurrent calls is not determined, so replies are found by what was asked. */
function requestHash({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): string {
  return contentHash(omitUndefined({ messages, tools }));
}
