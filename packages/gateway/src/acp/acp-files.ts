import type {
  ReadTextFileRequest,
  ReadTextFileResponse,
  WriteTextFileRequest,
} from "@agentclientprotocol/sdk";

import type { AgentContext } from "../agent/agent-run.ts";
import type { CommandSettings, ProgramSite } from "../agent/program-site.ts";
import { patchOf } from "../machine/changed-files.ts";
import { collect } from "./collect.ts";

const maxBytes = 2 ** 22;
const writing = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"';

type Settings = Pick<CommandSettings, "env" | "signal">;

/** The files that an agent reads and writes over ACP: with the rights of the agent itself, where it runs. */
export class AcpFiles {
  readonly #site: ProgramSite;
  readonly #settings: Settings;
  readonly #record: AgentContext["record"];

  constructor(site: ProgramSite, settings: Settings, record: AgentContext["record"]) {
    this.#site = site;
    this.#settings = settings;
    this.#record = record;
  }

  async read({ path, line, limit }: ReadTextFileRequest): Promise<ReadTextFileResponse> {
    const content = await this.#content(path);
    if (typeof line !== "number" && typeof limit !== "number") return { content };
    const first = Math.max((line ?? 1) - 1, 0);
    const lines = content.split("\n").slice(first, first + (limit ?? Infinity));
    return { content: lines.join("\n") };
  }

  async write({ path, content }: WriteTextFileRequest): Promise<Record<string, never>> {
    const before = await this.#content(path).catch(() => undefined);
    await this.#run(["sh", "-c", writing, "sh", path], content);
    this.#record("edit", patchOf(path, before, content));
    return {};
  }

  #content(path: string): Promise<string> {
    return this.#run(["cat", "--", path], "");
  }

  async #run(argv: readonly string[], stdin: string): Promise<string> {
    const { output, onOutput } = collect(maxBytes);
    const { exitCode } = await this.#site.command(argv, { ...this.#settings, stdin, onOutput });
    if (exitCode !== 0) throw new Error(output().text.trim());
    if (output().truncated) throw new Error(`The file has more than ${maxBytes} bytes.`);
    return output().text;
  }
}
