import type { EpisodeContext } from "../definition/context.ts";
import type { Message, ToolCall } from "../message/message.ts";
import type { ToolUseCounter } from "./call-counts.ts";
import {
  type ParsedCall,
  parseCall,
  runCall,
  toolMessage,
  type ToolCallSite,
  type ToolOutcome,
} from "./call-tool.ts";

type Context = EpisodeContext<never, never, unknown, never>;

/** Where the results of tool calls are recorded. */
export interface ToolCallLog {
  readonly messages: Message[];
  /** Why tools threw, as the model received it. */
  readonly errors: string[];
  readonly uses: ToolUseCounter;
}

/**
 * Runs the tool calls of one message at once, a call of a `sequential` tool alone, and appends their results to the log in the
 * order of the calls. They start in this order; once the episode has ended or failed, no further call starts. Resolves to whether
 * a tool ended the episode. The order in which calls finish affects only the recorded durations.
 */
export async function runToolCalls(
  calls: readonly ToolCall[],
  log: ToolCallLog,
  context: Context,
  site: ToolCallSite,
): Promise<boolean> {
  let last: readonly Message[] = [];
  let isOver = false;
  for (const batch of batchesOf(calls, site)) {
    const outcomes = isOver ? batch.map(notRun) : await runBatch(batch, context, site);
    record(outcomes, log);
    const ending = outcomes.find(({ isEnd }) => isEnd);
    if (ending === undefined) continue;
    isOver = true;
    last = ending.last ?? [];
  }
  log.messages.push(...last);
  return isOver;
}

/** A call, and its position in the message. */
interface PlacedCall {
  readonly call: ToolCall;
  readonly index: number;
}

/** Divides calls into those that run at once, in order. */
function batchesOf(calls: readonly ToolCall[], { toolset }: ToolCallSite): PlacedCall[][] {
  const batches: PlacedCall[][] = [];
  let open: PlacedCall[] | undefined;
  for (let index = 0; index < calls.length; index += 1) {
    const call = calls[index]!;
    const { name } = call.function;
    const isSequential = Object.hasOwn(toolset, name) && toolset[name]!.sequential === true;
    if (open === undefined || isSequential) batches.push((open = []));
    open.push({ call, index });
    if (isSequential) open = undefined;
  }
  return batches;
}

async function runBatch(
  batch: readonly PlacedCall[],
  context: Context,
  site: ToolCallSite,
): Promise<readonly ToolOutcome[]> {
  const parsed: ParsedCall[] = [];
  for (const { call } of batch) {
    const result = parseCall(call, site.toolset);
    // Most schemas are synchronous.
    parsed.push(result instanceof Promise ? await result : result);
  }
  let isOver = false;
  const running = batch.map((placed, position) => {
    if (isOver) return notRun(placed);
    const outcome = runCall(parsed[position]!, contextOf(placed, batch, context), site);
    if ("message" in outcome) isOver = outcome.isEnd || outcome.failure !== undefined;
    return outcome;
  });
  const outcomes: ToolOutcome[] = [];
  for (const outcome of running) outcomes.push(await outcome);
  return outcomes;
}

/** Gives concurrent calls separate random streams, because the order in which they draw is not determined. */
function contextOf({ index }: PlacedCall, batch: readonly PlacedCall[], context: Context): Context {
  if (batch.length === 1) return context;
  return { ...context, random: context.random.for("call", context.turns, index) };
}

function notRun({ call }: PlacedCall): ToolOutcome {
  return { call, message: toolMessage(call, "Not run: the episode is over."), isEnd: false };
}

function record(outcomes: readonly ToolOutcome[], { messages, errors, uses }: ToolCallLog): void {
  for (const { call, isError = false, duration } of outcomes)
    if (duration !== undefined) uses.add(call.function.name, isError, duration / 1000);
  for (const { message, problem, failure } of outcomes) {
    if (failure !== undefined) throw failure;
    messages.push(message);
    if (problem !== undefined) errors.push(problem);
  }
}
