import * as z from "zod";

import { onAbort } from "../abort.ts";
import type { EpisodeContext } from "../definition/context.ts";
import type { Tool, Toolset } from "../definition/tool.ts";
import { isRolloutError, messageOf, RolloutError } from "../errors.ts";
import { type HookScope, isPromiseLike } from "../hook-scope.ts";
import { deepCopy } from "../json.ts";
import { contentProblem, type MediaLimits } from "../message/check-content.ts";
import { areContentParts, type Content } from "../message/content.ts";
import { areMessages, type Message, type ToolCall, type ToolMessage } from "../message/message.ts";
import { isEnd } from "../message/stop.ts";
import { now } from "../model/clock.ts";

/** Where a tool call runs. */
export interface ToolCallSite {
  readonly toolset: Toolset;
  /** Whether errors fail the rollout; by default, the model receives them. */
  readonly isStrict: boolean;
  readonly scope: HookScope;
  /** What results may contain besides text. */
  readonly limits: MediaLimits;
}

/** A tool call of the model whose tool exists and whose arguments are valid, or why it cannot run. */
export type ParsedCall =
  | { readonly call: ToolCall; readonly tool: Tool; readonly input: Record<string, unknown> }
  | { readonly call: ToolCall; readonly problem: string; readonly cause?: unknown };

/** The result of a tool call. */
export interface ToolOutcome {
  readonly call: ToolCall;
  readonly message: ToolMessage;
  readonly isEnd: boolean;
  /** The messages that end the conversation, after the results of all calls. */
  readonly last?: readonly Message[] | undefined;
  /** Whether the model received an error as the result. */
  readonly isError?: boolean | undefined;
  /** Why the tool itself failed. Mistakes of the model are not counted. */
  readonly problem?: string | undefined;
  /** The error that fails the rollout. */
  readonly failure?: Error | undefined;
  /** In milliseconds; `undefined` if the call has not run. */
  readonly duration?: number | undefined;
}

/** Creates the message with the result of a tool call. */
export function toolMessage(call: ToolCall, content: Content): ToolMessage {
  return { role: "tool", tool_call_id: call.id, content };
}

/** Schemas whose first synchronous parse failed, so that they are parsed asynchronously. */
const asyncSchemas = new WeakSet<z.ZodObject>();

/** Reads a tool call of the model. A promise is returned only if the schema of the tool is asynchronous. */
export function parseCall(call: ToolCall, toolset: Toolset): ParsedCall | Promise<ParsedCall> {
  const { name, arguments: text } = call.function;
  if (!Object.hasOwn(toolset, name))
    return {
      call,
      problem: `There is no tool named ${JSON.stringify(name)}. Use one of: ${Object.keys(toolset).join(", ")}.`,
    };
  const tool = toolset[name]!;
  let json: unknown;
  try {
    json = JSON.parse(text.trim() || "{}");
  } catch (cause) {
    const problem = `The arguments of ${name} are not valid JSON: ${messageOf(cause)}`;
    return { call, problem, cause };
  }
  if (asyncSchemas.has(tool.input)) return parseAsync(call, tool, json);
  try {
    return readInput(call, tool, tool.input.safeParse(json));
  } catch (cause) {
    if (!(cause instanceof z.core.$ZodAsyncError)) return schemaFailure(call, cause);
    asyncSchemas.add(tool.input);
    return parseAsync(call, tool, json);
  }
}

async function parseAsync(call: ToolCall, tool: Tool, json: unknown): Promise<ParsedCall> {
  try {
    return readInput(call, tool, await tool.input.safeParseAsync(json));
  } catch (cause) {
    return schemaFailure(call, cause);
  }
}

function readInput(
  call: ToolCall,
  tool: Tool,
  input: z.ZodSafeParseResult<Record<string, unknown>>,
): ParsedCall {
  if (input.success) return { call, tool, input: input.data };
  const problem = `The arguments of ${call.function.name} do not fit:\n${z.prettifyError(input.error)}`;
  return { call, problem, cause: input.error };
}

function schemaFailure(call: ToolCall, cause: unknown): ParsedCall {
  return { call, problem: `${call.function.name} failed: ${messageOf(cause)}`, cause };
}

/**
 * Runs a tool call. An unknown tool, arguments that are not valid and a tool that throws or takes too long are reported to the
 * model as the tool's result; at a strict site, they are a `failure` with the code `tool`. A tool that does not return a
 * promise has run when this function returns. Never throws or rejects.
 */
export function runCall(
  parsed: ParsedCall,
  context: EpisodeContext<never, never, unknown, never>,
  { isStrict, scope, limits }: ToolCallSite,
): ToolOutcome | Promise<ToolOutcome> {
  const { call } = parsed;
  const start = now();
  const reportError = (problem: string, cause: unknown): ToolOutcome => ({
    call,
    message: toolMessage(call, `Error: ${problem}`),
    isEnd: false,
    isError: true,
    failure: isStrict ? new RolloutError("tool", problem, { cause }) : undefined,
    duration: now() - start,
  });
  const fail = (error: unknown): ToolOutcome => {
    const problem = `${call.function.name} failed: ${messageOf(error)}`;
    const outcome = { ...reportError(problem, error), problem };
    // A tool throws a RolloutError to fail the rollout, because the model cannot correct the problem.
    return isRolloutError(error) ? { ...outcome, failure: error } : outcome;
  };
  const finish = (value: unknown): ToolOutcome => {
    try {
      return { ...readResult(call, value, limits), duration: now() - start };
    } catch (error) {
      return fail(error);
    }
  };

  if ("problem" in parsed) return reportError(parsed.problem, parsed.cause);
  const { tool, input } = parsed;
  const operation = { code: "tool", operation: `the tool ${call.function.name}` } as const;
  try {
    const result = scope.watch(operation, () => execute(tool, input, context));
    return result instanceof Promise ? result.then(finish, fail) : finish(result);
  } catch (error) {
    return fail(error);
  }
}

/** Calls the tool, for as long as its `timeout` allows. */
function execute(
  tool: Tool,
  input: Record<string, unknown>,
  context: EpisodeContext<never, never, unknown, never>,
): unknown {
  const { timeout } = tool;
  if (timeout === undefined) return tool.execute(input, context);
  const controller = new AbortController();
  const unsubscribe = onAbort(context.signal, () => controller.abort(context.signal.reason));
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`it took longer than ${timeout} ms`);
    // Rejects before the abort, so that the timeout wins over errors that the abort causes in the tool.
    reject(error);
    controller.abort(error);
  }, timeout);
  const release = (): void => {
    clearTimeout(timer);
    unsubscribe();
  };
  try {
    const result = tool.execute(input, { ...context, signal: controller.signal });
    if (isPromiseLike(result)) return Promise.race([result, expired]).finally(release);
    release();
    return result;
  } catch (error) {
    release();
    throw error;
  }
}

function readResult(call: ToolCall, value: unknown, limits: MediaLimits): ToolOutcome {
  if (!isEnd(value))
    return { call, message: toolMessage(call, asContent(value, limits)), isEnd: false };
  if (areMessages(value.last))
    return { call, message: toolMessage(call, ""), isEnd: true, last: value.last };
  return { call, message: toolMessage(call, asContent(value.last, limits)), isEnd: true };
}

/** Text and content parts as they are, any other value as JSON. Throws an `Error` for parts that are not valid. */
function asContent(value: unknown, limits: MediaLimits): Content {
  if (typeof value === "string") return value;
  const parts = Array.isArray(value) ? value : [value];
  if (areContentParts(parts)) {
    const problem = contentProblem(parts, limits);
    if (problem !== undefined) throw new Error(`its result is not valid: ${problem}.`);
    return deepCopy(parts);
  }
  // JSON cannot represent `undefined` and functions.
  return JSON.stringify(value) ?? "";
}
