import * as z from "zod";

import { excerpt } from "./excerpt.ts";

/** A server's description of a failure. */
export interface ErrorDetail {
  readonly message: string;
  /** The HTTP status, or the status that the body's code means. */
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  /** The provider refused the prompt because of its content. */
  readonly isModerated?: boolean | undefined;
}

const loose = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const word = loose(z.union([z.string(), z.number()]));

/** The fields of errors of OpenAI, OpenRouter, vLLM, Gemini, Anthropic, FastAPI and gateways. */
const errorFields = z.object({
  message: loose(z.string()),
  msg: loose(z.string()),
  detail: z.unknown().optional(),
  code: word,
  status: word,
  type: loose(z.string()),
  metadata: loose(
    z.object({
      provider_name: loose(z.string()),
      raw: z.unknown().optional(),
      reasons: z.unknown().optional(),
    }),
  ),
});

const container = z.object({
  error: z.unknown().optional(),
  errors: loose(z.array(z.unknown())),
  detail: z.unknown().optional(),
});

/** The HTTP statuses that codes and types of error bodies mean. */
const statusOfName: Readonly<Record<string, number>> = {
  api_error: 500,
  authentication_error: 401,
  bad_request: 400,
  context_length_exceeded: 400,
  forbidden: 403,
  insufficient_quota: 402,
  internal: 500,
  internal_server_error: 500,
  invalid_api_key: 401,
  invalid_argument: 400,
  invalid_request_error: 400,
  model_not_found: 404,
  not_found: 404,
  not_found_error: 404,
  overloaded_error: 529,
  permission_denied: 403,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  resource_exhausted: 429,
  server_error: 500,
  service_unavailable: 503,
  too_many_requests: 429,
  unauthenticated: 401,
  unauthorized: 401,
  unavailable: 503,
};

/** Reads the error of a response's body; `undefined` if it does not have one. */
export function errorDetail(body: unknown): ErrorDetail | undefined {
  if (Array.isArray(body)) return errorDetail(body[0]);
  const { data } = container.safeParse(body);
  if (data === undefined) return undefined;
  const nested = data.error ?? data.errors?.[0];
  if (typeof nested === "string") return { message: excerpt(nested), ...detailOf(body) };
  return detailOf(nested) ?? detailOf(body) ?? unknownError(nested);
}

function detailOf(error: unknown): ErrorDetail | undefined {
  const { data } = errorFields.safeParse(error);
  if (data === undefined) return undefined;
  const { code, status, type, metadata } = data;
  const text = data.message ?? data.msg ?? (data.detail == null ? "" : textOf(data.detail));
  const reason = metadata?.raw == null ? "" : textOf(metadata.raw);
  const message = [text, metadata?.provider_name ?? "", reason]
    .filter((part) => part !== "")
    .map((part) => excerpt(part))
    .join(": ");
  if (message === "" && code == null) return undefined;
  const names = [code, status, type].filter((name) => name != null);
  return {
    message: message || `error ${code}`,
    status: names.map(statusOf).find((found) => found !== undefined),
    code: names.find((name) => typeof name === "string"),
    isModerated: metadata?.reasons != null || /\b(?:flagged|moderation)\b/i.test(message),
  };
}

function statusOf(name: string | number): number | undefined {
  const number = Number(name);
  if (Number.isInteger(number) && number >= 400 && number < 600) return number;
  const key = String(name).toLowerCase();
  return Object.hasOwn(statusOfName, key) ? statusOfName[key] : undefined;
}

function unknownError(error: unknown): ErrorDetail | undefined {
  return error == null || error === false ? undefined : { message: excerpt(textOf(error)) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
