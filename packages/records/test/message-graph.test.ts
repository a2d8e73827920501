import {
  type AssistantMessage,
  type Content,
  type ContentPart,
  defineEnvironment,
  end,
  type Message,
  rollout,
  type Rollout,
  type Turn,
} from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { conversationTo, messageGraph, parseRow, toRow } from "@envs/records";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const environment = defineEnvironment({
  name: "letters",
  dataset: () => [{ prompt: "a" }],
  respond: ({ turns }) => (turns < 3 ? "more" : end()),
  rubric: { right: () => 1 },
})();

const lookup = { name: "look-up", description: "", parameters: {} };

/** An agent's action before its next call, and the number of messages that it keeps. */
type Act = readonly [act: "continue" | "fork" | "compact" | "start", from: number, kept: number];

const acts = fc.array(
  fc.tuple(
    fc.constantFrom("continue", "fork", "compact", "start"),
    fc.nat({ max: 20 }),
    fc.nat({ max: 9 }),
  ),
  { maxLength: 24 },
);

/** The calls of an agent that may return to any earlier conversation. */
function callsOf(script: readonly Act[]): readonly AgentCall[] {
  const calls: AgentCall[] = [];
  for (const [number, [act, from, kept]] of script.entries()) {
    const call = calls[from % Math.max(calls.length, 1)];
    const before: readonly Message[] = call ? [...call.messages, call.message] : [];
    const word = `u${number % 3}`;
    // Agents may send text as parts.
    const content = kept > 6 ? [text(word), text("")] : word;
    const user: Message = kept === 6 ? toolResult(content) : { role: "user", content };
    const summary: Message = { role: "user", content: `summary of ${before.length}` };
    const messages = {
      continue: [...before, user],
      fork: [...before.slice(0, kept), user],
      compact: [...before.slice(0, 1), summary],
      start: [{ role: "system", content: "s" }, user] satisfies Message[],
    }[act];
    calls.push(agentCall(messages, { role: "assistant", content: `r${kept % 2}` }, kept % 3 > 0));
  }
  return calls;
}

const text = (value: string): ContentPart => ({ type: "text", text: value });

const toolResult = (content: Content): Message => ({
  role: "tool",
  tool_call_id: "call_1",
  content,
});

function agentCall(
  messages: readonly Message[],
  message: AssistantMessage,
  hasTools: boolean,
): AgentCall {
  return {
    dialect: "chat",
    requestedModel: "gpt",
    messages,
    message,
    finish: "stop",
    usage: { inputTokens: messages.length, outputTokens: 1 },
    tokens: undefined,
    model: { start: 0, end: 1 },
    ...(hasTools && { tools: [lookup] }),
  };
}

/** A rollout of three turns whose calls are those of an agent, which fails after the last ones. */
async function played(calls: readonly AgentCall[]): Promise<Rollout> {
  const model = async () => ({
    message: { role: "assistant" as const, content: "r1" },
    finish: "stop" as const,
  });
  const own = await rollout(environment, { prompt: "a" }, { model });
  const size = Math.ceil(calls.length / 4);
  const trajectory = own.trajectory.map((turn, index): Turn => ({
    ...turn,
    calls: calls.slice(index * size, (index + 1) * size),
  }));
  const unfinishedCalls = calls.slice(3 * size);
  return { ...own, trajectory, ...(unfinishedCalls.length > 0 && { unfinishedCalls }) };
}

const callsIn = ({ trajectory, unfinishedCalls = [] }: Rollout): readonly AgentCall[] => [
  ...trajectory.flatMap(({ calls = [] }) => calls),
  ...unfinishedCalls,
];

const requests = (recorded: Rollout): string =>
  JSON.stringify(
    callsIn(recorded).map(({ messages, message, tools }) => ({ messages, message, tools })),
  );

describe("the graph of an agent's messages", () => {
  test("replays each request byte for byte, from the rollout and from its record", async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (script) => {
        const recorded = await played(callsOf(script));
        const read = parseRow(JSON.stringify(toRow(recorded))) as Rollout;
        expect(requests(read)).toBe(requests(recorded));
        for (const each of [recorded, read]) {
          const graph = messageGraph(each);
          const replayed = graph.calls.map(({ after, reply }) => [
            conversationTo(graph, after),
            graph.nodes[reply!]!.message,
          ]);
          const asked = callsIn(each).map(({ messages, message }) => [messages, message]);
          expect(JSON.stringify(replayed)).toBe(JSON.stringify(asked));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("stores each message once, in memory and in the record", async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (script) => {
        const recorded = await played(callsOf(script));
        const { nodes, leaves } = messageGraph(recorded);
        const places = nodes.map(({ parent, message }) => JSON.stringify([parent, message]));
        expect(new Set(places).size).toBe(nodes.length);
        const row = toRow(recorded);
        const rows = [
          ...row.trajectory!.flatMap(({ calls }) => calls ?? []),
          ...(row.unfinished_calls ?? []),
        ];
        const stored = rows.flatMap(({ messages, message }) => [
          ...messages,
          ...(message ? [message] : []),
        ]);
        const own = recorded.prompt.length + recorded.completion.length;
        expect(own + stored.length).toBe(nodes.length);
        expect(leaves.length).toBeGreaterThan(0);
      }),
    );
  });

  test("is the conversation for a linear rollout", async () => {
    const { trajectory: turns, prompt, completion } = await played([]);
    const trajectory = turns.map((turn): Turn => ({ ...turn, calls: undefined }));
    const graph = messageGraph({ prompt, completion, trajectory });
    expect(graph.nodes.map(({ message }) => message)).toEqual([...prompt, ...completion]);
    expect(graph.leaves).toEqual([graph.nodes.length - 1]);
    expect(graph.calls).toMatchObject([
      { kind: "turn", turn: 0, after: 0, reply: 1, isAuxiliary: false },
      { kind: "turn", turn: 1, after: 2, reply: 3 },
      { kind: "turn", turn: 2, after: 4, reply: 5 },
    ]);
  });

  test("marks a call for a title as auxiliary if no call continues it", async () => {
    const question: Message = { role: "user", content: "Where is Rome?" };
    const title = agentCall(
      [{ role: "system", content: "Name this chat." }, question],
      { role: "assistant", content: "Rome" },
      false,
    );
    const first = agentCall([question], { role: "assistant", content: "I look it up." }, true);
    const more: Message = { role: "user", content: "Go on." };
    const answer = agentCall(
      [question, first.message, more],
      { role: "assistant", content: "r1" },
      false,
    );
    const graph = messageGraph(await played([title, first, answer]));
    expect(graph.calls.map(({ isAuxiliary }) => isAuxiliary)).toEqual([true, false, false]);
    const alone = messageGraph(await played([title]));
    expect(alone.calls.map(({ isAuxiliary }) => isAuxiliary)).toEqual([false]);
  });

  test("ends at the last message for a damaged record", async () => {
    const question: Message = { role: "user", content: "?" };
    const call = agentCall([question], { role: "assistant", content: "!" }, false);
    const row = toRow(await played([call]));
    const [turn, ...others] = row.trajectory!;
    const calls = [{ ...turn!.calls![0]!, after: 99, reply: 98 }];
    const read = parseRow(JSON.stringify({ ...row, trajectory: [{ ...turn, calls }, ...others] }));
    expect((read as Rollout).trajectory[0]!.calls).toMatchObject([
      { messages: [question], message: { content: "" } },
    ]);
  });
});
