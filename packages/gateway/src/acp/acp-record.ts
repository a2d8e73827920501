import type {
  PermissionOption,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";

import type { AgentContext } from "../agent/agent-run.ts";
import { patchOf } from "../machine/changed-files.ts";

const maxText = 16_384;
const maxActions = 500;
const order = ["allow_always", "allow_once"] as const;

/** The option that grants what an agent asks for; `undefined` if there are only refusals. */
export function chooseOption(options: readonly PermissionOption[]): PermissionOption | undefined {
  return order
    .map((kind) => options.find((option) => option.kind === kind))
    .find((option) => option !== undefined);
}

/** Turns what an agent reports over ACP into a record: plans, permissions and tools, and its last words. */
export class AcpRecord {
  readonly #record: AgentContext["record"];
  readonly #calls = new Map<string, ToolCallUpdate>();
  #count = 0;
  #plan = "";
  #reply = "";
  #isBegun = false;

  constructor(record: AgentContext["record"]) {
    this.#record = record;
  }

  /** What the agent said after its last tool call. */
  get reply(): string {
    return this.#reply.trim();
  }

  /** Forgets what came before: the next reports belong to this observation. */
  begin(): void {
    this.#isBegun = true;
    this.#reply = "";
  }

  permission({ toolCall, options }: RequestPermissionRequest, option?: PermissionOption): void {
    const offered = options.map(({ name }) => name).join(", ");
    const title = toolCall.title ?? this.#calls.get(toolCall.toolCallId)?.title ?? "a tool";
    this.#add("permission", `${title}\n${option?.name ?? "refused"} (of ${offered})`);
  }

  update(update: SessionUpdate): void {
    if (!this.#isBegun) return;
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      this.#reply += update.content.text;
    else if (update.sessionUpdate === "plan") {
      const plan = update.entries.map(({ status, content }) => `[${status}] ${content}`).join("\n");
      if (plan !== this.#plan) this.#add("plan", plan);
      this.#plan = plan;
    } else if (update.sessionUpdate === "tool_call") {
      this.#reply = "";
      this.#change(update);
    } else if (update.sessionUpdate === "tool_call_update") this.#change(update);
  }

  stop(reason: string): void {
    this.#add("stop", reason);
  }

  /** Records calls whose end the agent did not report. */
  end(): void {
    for (const call of this.#calls.values()) this.#finish(call);
  }

  #change(update: ToolCallUpdate): void {
    const { toolCallId: id } = update;
    const given = Object.entries(update).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    const call = { ...this.#calls.get(id), ...Object.fromEntries(given) } as ToolCallUpdate;
    this.#calls.set(id, call);
    if (call.status === "completed" || call.status === "failed") this.#finish(call);
  }

  #finish({ toolCallId, kind, title, status, content, rawInput }: ToolCallUpdate): void {
    this.#calls.delete(toolCallId);
    const input = rawInput === undefined ? [] : [JSON.stringify(rawInput)];
    const parts = [`${title ?? "a tool"}: ${status ?? "no end"}`, ...input];
    this.#add(kind ?? "tool", [...parts, ...(content ?? []).map(shown)].join("\n"));
  }

  #add(kind: string, text: string): void {
    this.#count += 1;
    if (this.#count > maxActions) return;
    const cut = text.length > maxText ? `${text.slice(0, maxText)}\n[cut]` : text;
    this.#record(kind, this.#count === maxActions ? "[More actions are not recorded.]" : cut);
  }
}

function shown(content: ToolCallContent): string {
  if (content.type === "diff")
    return patchOf(content.path, content.oldText ?? undefined, content.newText);
  if (content.type === "terminal") return `[terminal ${content.terminalId}]`;
  return content.content.type === "text" ? content.content.text : `[${content.content.type}]`;
}
