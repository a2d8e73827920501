import { type AgentCall, omitUndefined } from "@envs/core/engine";

import { type Fields, fieldsOf, numberOf, textOf } from "./json.ts";

/** The fields of an agent's call with its options, and what the provider has reported about its reply. */
export interface CallSettingsRow {
  /** The model that the provider has named in its reply. Absent if it named none, as are the other fields of its report. */
  readonly served_model?: string | null | undefined;
  /** The provider's id of the reply. */
  readonly response_id?: string | null | undefined;
  /** The HTTP status of the provider. */
  readonly status?: number | null | undefined;
  /** The options that the agent or the run has set. Absent without any. */
  readonly sampling?: SamplingRow | null | undefined;
  /** The effort of reasoning that the agent asked for. Absent if it asked for none. */
  readonly effort?: string | number | null | undefined;
}

interface SamplingRow {
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly stop?: readonly string[] | null | undefined;
}

type CallSettings = Pick<AgentCall, "sampling" | "effort" | "server">;

/** Converts the settings of a call, and the report of its server, to the fields of its row. */
export function callSettingsRow({ sampling, effort, server }: CallSettings): CallSettingsRow {
  const { temperature, topP, maxTokens, stop } = sampling ?? {};
  return omitUndefined({
    served_model: server?.model,
    response_id: server?.responseId,
    status: server?.status,
    sampling: sampling && omitUndefined({ temperature, top_p: topP, max_tokens: maxTokens, stop }),
    effort,
  });
}

/** Reads the settings of a call. Rows of earlier versions lack them. */
export function callSettingsOf(row: Fields): CallSettings {
  const stored = fieldsOf(row["sampling"]);
  const sampling = omitUndefined({
    temperature: numberOf(stored["temperature"]),
    topP: numberOf(stored["top_p"]),
    maxTokens: numberOf(stored["max_tokens"]),
    stop: Array.isArray(stored["stop"]) ? stored["stop"].filter(isText) : undefined,
  });
  const server = omitUndefined({
    status: numberOf(row["status"]),
    model: textOf(row["served_model"]),
    responseId: textOf(row["response_id"]),
  });
  return {
    ...(Object.keys(sampling).length > 0 && { sampling }),
    ...omitUndefined({ effort: textOf(row["effort"]) ?? numberOf(row["effort"]) }),
    ...(Object.keys(server).length > 0 && { server }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
