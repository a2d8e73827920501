import { type Environment, type Message, type Rollout, rollout } from "@envs/core";
import { examples } from "@envs/core/engine";
import { type ReplyFunction, policyAnswer } from "@envs/core/testing";

/** What somebody says who was told this last. */
export type Player = (told: string) => string;

/** Plays tictactoe on the first free position. */
export const firstFree: Player = (told) => {
  const free = /Free positions: (?<cell>\d)/u.exec(told)?.groups?.cell;
  return `<think>The first.</think>\n<move>${free ?? "?"}</move>`;
};

/** Reverses the first half of a text. */
export const halfReversed: Player = (told) => {
  const half = Array.from(told)
    .slice(0, told.length / 2)
    .toReversed();
  return `<reversed>${half.join("")}</reversed>`;
};

/** Says it in plain words. */
export function speaking(player: Player): ReplyFunction {
  return ({ messages }) => player(lastOf(messages));
}

/** Says it by the tool `respond`, until a tool says that the episode is over. */
export function responding(player: Player): ReplyFunction {
  return ({ messages }) => {
    const told = lastOf(messages);
    if (told.endsWith("The episode is over.")) return "That was it.";
    const written = JSON.stringify({ text: player(told) });
    return calling(`call_${messages.length}`, "respond", written);
  };
}

interface Shown {
  readonly observation: {
    readonly system_prompt?: string;
    readonly text?: string;
    readonly result?: string;
  };
}

/** Says it to verifiers' taskset for OpenEnv, which shows observations as JSON. */
export function observing(player: Player): ReplyFunction {
  return ({ messages }) => player(shown(messages.at(-1)!).text ?? "");
}

/** Plays a policy that calls tools in verifiers' taskset for OpenEnv, which writes calls as JSON. */
export function observingPolicy(environment: Environment, ...which: PolicyArguments): ReplyFunction {
  const ask = policyAnswer(environment, ...which);
  return async (request) => {
    const [opening, ...rest] = request.messages.filter(({ role }) => role === "user");
    const { system_prompt: system, text = "" } = shown(opening!);
    const told: Message[] = [{ role: "user", content: text }];
    if (system !== undefined) told.unshift({ role: "system", content: system });
    const next = async () => {
      const reply = await ask({ ...request, messages: told });
      return typeof reply !== "string" && "role" in reply ? reply : undefined;
    };
    for (const answer of rest) {
      const said = await next();
      const [call] = said?.tool_calls ?? [];
      told.push(said!, {
        role: "tool",
        tool_call_id: call!.id,
        content: shown(answer).result ?? "",
      });
    }
    const said = await next();
    const [call] = said?.tool_calls ?? [];
    return JSON.stringify({
      tool_name: call?.function.name ?? "respond",
      arguments: call ? JSON.parse(call.function.arguments) : { text: said?.content },
    });
  };
}

type PolicyArguments = Parameters<typeof policyAnswer> extends [unknown, ...infer Rest] ? Rest : [];

/** How core plays the first examples of a split with a model that answers so. */
export async function inCore(
  environment: Environment,
  { answer, split, count }: { answer: ReplyFunction; split?: string; count: number },
): Promise<readonly Extract<Rollout, { status: "scored" }>[]> {
  const played: Extract<Rollout, { status: "scored" }>[] = [];
  const which = split === undefined ? { count } : { count, split };
  for await (const { example } of examples(environment, which)) {
    const model = modelOf(answer);
    const each = await rollout(environment, example, { model });
    if (each.status !== "scored") throw new Error(each.error.message);
    played.push(each);
  }
  return played;
}

function modelOf(answer: ReplyFunction) {
  return async (request: Parameters<ReplyFunction>[0]) => {
    const reply = await answer(request);
    const message =
      typeof reply === "string" ? ({ role: "assistant", content: reply } as const) : reply;
    return "message" in message ? message : { message, finish: "stop" as const };
  };
}

function calling(id: string, name: string, written: string) {
  return {
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name, arguments: written } }],
  } as const;
}

function lastOf(messages: readonly Message[]): string {
  return messages.at(-1)?.content ?? "";
}

function shown({ content }: Message): Shown["observation"] {
  return (JSON.parse(content) as Shown).observation;
}
