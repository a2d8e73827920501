import { type Environment, type Message, type Rollout, rollout, textOf } from "@envs/core";
import { examples } from "@envs/core/engine";
import { type ReplyFunction } from "@envs/core/testing";
import { policyAnswer } from "@envs/models/testing";

/** Replies to the last message. */
export type Player = (lastMessage: string) => string;

/** Plays tictactoe on the first free position. */
export const firstFree: Player = (lastMessage) => {
  const cell = /Free positions: (?<cell>\d)/u.exec(lastMessage)?.groups?.cell;
  return `<think>The first.</think>\n<move>${cell ?? "?"}</move>`;
};

/** Reverses the first half of a text. */
export const halfReversed: Player = (lastMessage) => {
  const half = Array.from(lastMessage)
    .slice(0, lastMessage.length / 2)
    .toReversed();
  return `<reversed>${half.join("")}</reversed>`;
};

/** A model that sends a player's replies as text. */
export function textModel(player: Player): ReplyFunction {
  return ({ messages }) => player(lastOf(messages));
}

/** A model that sends a player's replies by the tool `respond`, until a tool output ends the episode. */
export function respondModel(player: Player): ReplyFunction {
  return ({ messages }) => {
    const lastMessage = lastOf(messages);
    if (lastMessage.endsWith("The episode is over.")) return "That was it.";
    const json = JSON.stringify({ text: player(lastMessage) });
    return toolCallMessage(`call_${messages.length}`, "respond", json);
  };
}

interface ObservationMessage {
  readonly observation: {
    readonly system_prompt?: string;
    readonly text?: string;
    readonly result?: string;
  };
}

/** A model for verifiers' taskset for OpenEnv, whose messages are observations as JSON. */
export function openenvModel(player: Player): ReplyFunction {
  return ({ messages }) => player(observationIn(messages.at(-1)!).text ?? "");
}

/** A policy that calls tools, for verifiers' taskset for OpenEnv, whose replies are tool calls as JSON. */
export function openenvPolicy(environment: Environment, ...args: PolicyArguments): ReplyFunction {
  const ask = policyAnswer(environment, ...args);
  return async (request) => {
    const [opening, ...rest] = request.messages.filter(({ role }) => role === "user");
    const { system_prompt: system, text = "" } = observationIn(opening!);
    const history: Message[] = [{ role: "user", content: text }];
    if (system !== undefined) history.unshift({ role: "system", content: system });
    const next = async () => {
      const reply = await ask({ ...request, messages: history });
      return typeof reply !== "string" && "role" in reply ? reply : undefined;
    };
    for (const toolMessage of rest) {
      const message = await next();
      const [call] = message?.tool_calls ?? [];
      history.push(message!, {
        role: "tool",
        tool_call_id: call!.id,
        content: observationIn(toolMessage).result ?? "",
      });
    }
    const message = await next();
    const [call] = message?.tool_calls ?? [];
    return JSON.stringify({
      tool_name: call?.function.name ?? "respond",
      arguments: call ? JSON.parse(call.function.arguments) : { text: message?.content },
    });
  };
}

type PolicyArguments = Parameters<typeof policyAnswer> extends [unknown, ...infer Rest] ? Rest : [];

/** Plays the first examples of a split in core. */
export async function playInCore(
  environment: Environment,
  { answer, split, count }: { answer: ReplyFunction; split?: string | undefined; count: number },
): Promise<readonly Extract<Rollout, { status: "scored" }>[]> {
  const results: Extract<Rollout, { status: "scored" }>[] = [];
  const options = split === undefined ? { count } : { count, split };
  for await (const { example } of examples(environment, options)) {
    const model = modelOf(answer);
    const result = await rollout(environment, example, { model });
    if (result.status !== "scored") throw new Error(result.error.message);
    results.push(result);
  }
  return results;
}

function modelOf(answer: ReplyFunction) {
  return async (request: Parameters<ReplyFunction>[0]) => {
    const reply = await answer(request);
    const message =
      typeof reply === "string" ? ({ role: "assistant", content: reply } as const) : reply;
    return "message" in message ? message : { message, finish: "stop" as const };
  };
}

function toolCallMessage(id: string, name: string, json: string) {
  return {
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name, arguments: json } }],
  } as const;
}

function lastOf(messages: readonly Message[]): string {
  return textOf(messages.at(-1)?.content ?? "");
}

function observationIn({ content }: Message): ObservationMessage["observation"] {
  return (JSON.parse(textOf(content)) as ObservationMessage).observation;
}
