import type { ModelRequest } from "@envs/core";
import { omitUndefined } from "@envs/core/engine";

import type { RecordedRequest } from "./recording.ts";

/** The fields of a provider's call that requests have in their own form, and one that names an earlier reply by a random id. */
const decoded: ReadonlySet<string> = new Set([
  "messages",
  "input",
  "contents",
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "tools",
  "previous_response_id",
]);

/** Reads the part of a request that a recording keeps. */
export function recordedRequest(request: ModelRequest): RecordedRequest {
  const { messages, tools, toolChoice, format, sampling } = request;
  const set = omitUndefined(sampling ?? {});
  return {
    messages,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...omitUndefined({ toolChoice: toolChoice === "auto" ? undefined : toolChoice, format }),
    ...(Object.keys(set).length === 0 ? {} : { sampling: set }),
    ...omitUndefined({ call: callOf(request) }),
  };
}

function callOf({ relay }: ModelRequest): RecordedRequest["call"] {
  if (relay === undefined) return undefined;
  const { dialect, headers = {}, body } = relay;
  const others = Object.entries(body).filter(([name]) => !decoded.has(name));
  return {
    dialect,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...Object.fromEntries(others),
  };
}
