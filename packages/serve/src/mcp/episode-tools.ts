import { randomBytes, randomUUID } from "node:crypto";

import type { ToolSpec } from "@envs/core/engine";
import type { CallToolResult, TextContent as TextBlock } from "@modelcontextprotocol/server";
import * as z from "zod";

import { contentBlocks } from "../content-blocks.ts";
import type { ServedEnvironment } from "../context.ts";
import { publicMessage, quote, ServeError } from "../errors.ts";
import type { EnvironmentCard } from "../host/episode-host.ts";
import { messageText } from "../message-text.ts";
import { exampleFields } from "../sessions/reset-query.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { type McpSession, McpSessions } from "./mcp-sessions.ts";
import { toolResult } from "./tool-result.ts";

const { split, index, seed, seat } = exampleFields;
const exampleInput = z.strictObject({
  split: z.string().optional().describe(split.description!),
  index: z.int().min(0).optional().describe(index.description!),
  seed: z.int().min(0).optional().describe(seed.description!),
});
const callInput = z.strictObject({
  name: z.string().describe("Name of the tool, as the result of start lists it"),
  arguments: z.record(z.string(), z.unknown()).default({}).describe("Its arguments"),
});
/** How many results of scored episodes a client can ask for again. */
const maxResults = 1000;

/**
 * An environment as tools of MCP: `start` an episode, act in it with the environment's own tools or with text, and `score` it. A
 * call names its episode, so that a client can play several, also over HTTP without sessions.
 */
export class EpisodeTools {
  readonly specs: readonly ToolSpec[];
  readonly names: { readonly start: string; readonly score: string; readonly call: string };
  readonly #environment: ServedEnvironment;
  readonly #hasEpisodeTools: boolean;
  readonly #sessions: McpSessions;
  readonly #log: (error: unknown) => void;
  readonly #results = new Map<string, CallToolResult>();
  readonly #startInput: typeof exampleInput;
  /** The argument that names the episode. */
  readonly #handle: string;

  constructor(environment: ServedEnvironment, sessions: Sessions, log: (error: unknown) => void) {
    const { host, tools } = environment;
    this.#environment = environment;
    this.#hasEpisodeTools = host.card.tools === undefined;
    this.#sessions = new McpSessions(environment, sessions);
    this.#log = log;
    const own = tools.specs;
    const unused = (name: string): string =>
      own.some((spec) => spec.name === name) ? `${name}_episode` : name;
    this.names = { start: unused("start"), score: unused("score"), call: unused("call_tool") };
    const isUsed = own.some(({ parameters }) =>
      Object.hasOwn(parameters.properties ?? {}, "episode"),
    );
    this.#handle = isUsed ? "episode_id" : "episode";
    const { seats } = host.card;
    this.#startInput =
      seats.length === 0
        ? exampleInput
        : exampleInput.extend({ seat: z.enum(seats).optional().describe(seat.description!) });
    this.specs = [
      spec(
        this.names.start,
        `Start an episode of ${host.card.name}. Returns its id and its task. Splits: ${splitList(host.card)}.`,
        this.#startInput,
      ),
      ...(this.#hasEpisodeTools
        ? [this.#inEpisode(spec(this.names.call, "Call a tool of an episode.", callInput))]
        : []),
      ...own.map((tool) => this.#inEpisode(tool)),
      this.#inEpisode(
        spec(
          this.names.score,
          "End an episode, and return its reward and scores.",
          z.strictObject({}),
        ),
      ),
    ];
  }

  /** Calls a tool. A failure is also a result, which the model reads. */
  async call(name: string, input: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
    try {
      if (name === this.names.start) return await this.#start(parse(this.#startInput, input));
      const { [this.#handle]: id, ...rest } = input;
      if (name === this.names.score) return await this.#score(String(id));
      return await this.#act(this.#find(id), name, rest);
    } catch (error) {
      if (!(error instanceof ServeError)) this.#log(error);
      return { content: [{ type: "text", text: publicMessage(error) }], isError: true };
    }
  }

  async #start(fields: Parameters<McpSessions["open"]>[0]): Promise<CallToolResult> {
    const { session, opening } = await this.#sessions.open(fields, randomBytes(6).toString("hex"));
    const { id, task, host, tools } = session;
    const text = (text: string): TextBlock => ({ type: "text", text });
    const ownTools = tools?.specs.map((tool) => JSON.stringify(tool)).join("\n");
    return {
      content: [
        text(
          `Episode ${id} of ${host.card.name}. Pass ${this.#handle}: ${quote(id)} to the other tools.`,
        ),
        ...contentBlocks(opening.messages),
        ...(ownTools === undefined
          ? []
          : [text(`Its tools, for ${this.names.call}:\n${ownTools}`)]),
        ...(opening.isDone ? [text(this.#end(id))] : []),
      ],
      // Structured content for programs; some clients show it to the model instead of the text.
      structuredContent: {
        [this.#handle]: id,
        split: task?.split,
        index: task?.index,
        prompt: messageText(opening.messages),
        done: opening.isDone,
        ...(tools && { tools: tools.specs }),
      },
    };
  }

  async #act(
    { session }: McpSession,
    name: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<CallToolResult> {
    const { tools = this.#environment.tools } = session;
    const isCall = this.#hasEpisodeTools && name === this.names.call;
    const action = isCall ? parse(callInput, input) : { name, arguments: input };
    const message = tools.call(action.name, action.arguments, `call_${randomUUID()}`);
    const observation = await session.step(message);
    const { content, ...result } = toolResult(observation);
    if (!session.isOver) return { ...result, content: [...content] };
    const end: TextBlock = { type: "text", text: this.#end(session.id) };
    // Without a message, the content is a sentence that the episode is over.
    return { ...result, content: observation.messages.length === 0 ? [end] : [...content, end] };
  }

  async #score(id: string): Promise<CallToolResult> {
    const earlier = this.#results.get(id);
    if (earlier !== undefined) return earlier;
    const opened = this.#find(id);
    const { reward, scores, stopReason, isTruncated } = await opened.session.finish();
    const outcome = { reward, scores, stop_reason: stopReason, is_truncated: isTruncated };
    const result: CallToolResult = {
      content: [{ type: "text", text: JSON.stringify(outcome) }],
      structuredContent: outcome,
    };
    this.#results.set(id, result);
    for (const old of this.#results.keys()) {
      if (this.#results.size <= maxResults) break;
      this.#results.delete(old);
    }
    await this.#sessions.close(opened);
    return result;
  }

  #find(id: unknown): McpSession {
    const session = typeof id === "string" ? this.#sessions.find(id) : undefined;
    if (session !== undefined) return session;
    if (typeof id === "string" && this.#results.has(id))
      throw new ServeError("no-episode", `Episode ${quote(id)} has been scored. Start another.`);
    throw new ServeError(
      "no-episode",
      `There is no episode ${quote(id ?? null)}. Call ${this.names.start}, and pass the id that it returns as ${this.#handle}.`,
    );
  }

  #end(id: string): string {
    return `The episode is over. Call ${this.names.score} with ${this.#handle}: ${quote(id)} for its reward.`;
  }

  /** Adds the argument that names the episode. */
  #inEpisode({ parameters, ...tool }: ToolSpec): ToolSpec {
    const { properties = {}, required = [] } = parameters as {
      readonly properties?: object;
      readonly required?: readonly string[];
    };
    const description = `Id of the episode, from ${this.names.start}`;
    return {
      ...tool,
      parameters: {
        ...parameters,
        properties: { [this.#handle]: { type: "string", description }, ...properties },
        required: [this.#handle, ...required],
      },
    };
  }
}

function splitList({ splits }: Pick<EnvironmentCard, "splits">): string {
  return splits
    .map(({ name, size }) => (size === null ? name : `${name} (${size} examples)`))
    .join(", ");
}

function spec(name: string, description: string, input: z.ZodObject): ToolSpec {
  const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: "input" });
  return { name, description, parameters };
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw new ServeError("invalid-action", `The arguments do not fit: ${z.prettifyError(error)}`);
}
