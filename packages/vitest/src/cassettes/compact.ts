import type { Message } from "@envs/core";
import { canonicalJson } from "@envs/core/engine";

import type { RecordedRequest, Recording } from "./recording.ts";

/** A recording in a file, without the parts that the previous line contains, too. */
export interface CompactRecording extends Omit<Recording, "request"> {
  readonly request: Omit<RecordedRequest, "messages" | "tools"> & {
    /** The number of messages of the previous line, including its reply, that come first. Omitted if none. */
    readonly previous?: number | undefined;
    readonly messages: readonly Message[];
    readonly tools?: RecordedRequest["tools"] | "previous";
  };
}

/** Shortens a recording by the messages that it shares with the previous one. */
export function compact(recording: Recording, before: Recording | undefined): CompactRecording {
  const { messages, tools, ...request } = recording.request;
  const earlier = conversationOf(before);
  const differing = messages.findIndex(
    (message, index) =>
      index >= earlier.length || canonicalJson(message) !== canonicalJson(earlier[index]),
  );
  const previous = differing === -1 ? messages.length : differing;
  const hasSameTools =
    tools !== undefined && canonicalJson(tools) === canonicalJson(before?.request.tools ?? null);
  return {
    ...recording,
    request: {
      ...(previous === 0 ? {} : { previous }),
      messages: messages.slice(previous),
      ...(tools === undefined ? {} : { tools: hasSameTools ? "previous" : tools }),
      ...request,
    },
  };
}

/** Restores a recording. Returns `undefined` if it refers to messages that the previous one lacks. */
export function expand(
  line: CompactRecording,
  before: Recording | undefined,
): Recording | undefined {
  const { previous = 0, messages, tools, ...request } = line.request;
  const earlier = conversationOf(before);
  const shared = tools === "previous" ? before?.request.tools : tools;
  if (previous > earlier.length || (tools === "previous" && shared === undefined)) return undefined;
  return {
    ...line,
    request: {
      messages: [...earlier.slice(0, previous), ...messages],
      ...(shared === undefined ? {} : { tools: shared }),
      ...request,
    },
  };
}

function conversationOf(recording: Recording | undefined): readonly Message[] {
  return recording === undefined ? [] : [...recording.request.messages, recording.response.message];
}
