import type {
  CreateTerminalRequest,
  CreateTerminalResponse,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";
import { messageOf } from "@envs/core/engine";

import type { AgentContext } from "../agent/agent-run.ts";
import type { CommandSettings, ProgramSite } from "../agent/program-site.ts";
import { collect } from "./collect.ts";

interface Terminal {
  readonly output: ReturnType<typeof collect>["output"];
  readonly controller: AbortController;
  readonly ended: Promise<number>;
  exitCode?: number;
}

type Settings = Pick<CommandSettings, "env" | "signal">;

const defaultBytes = 2 ** 20;
const shownCharacters = 4_000;
const killed = 137;

/** The commands that an agent runs over ACP: with the rights of the agent itself, where it runs. */
export class AcpTerminals {
  readonly #site: ProgramSite;
  readonly #settings: Settings;
  readonly #record: AgentContext["record"];
  readonly #terminals = new Map<string, Terminal>();
  #count = 0;

  constructor(site: ProgramSite, settings: Settings, record: AgentContext["record"]) {
    this.#site = site;
    this.#settings = settings;
    this.#record = record;
  }

  create(request: CreateTerminalRequest): CreateTerminalResponse {
    const { command, args = [], env = [], cwd, outputByteLimit } = request;
    this.#count += 1;
    const terminalId = `terminal-${this.#count}`;
    const controller = new AbortController();
    const { output, onOutput } = collect(Math.min(outputByteLimit ?? defaultBytes, defaultBytes));
    // Some agents send a whole line as the command.
    const argv = args.length === 0 ? ["sh", "-c", command] : [command, ...args];
    const running = this.#site.command(argv, {
      env: {
        ...this.#settings.env,
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      },
      cwd: cwd ?? undefined,
      stdin: "",
      onOutput,
      signal: AbortSignal.any([this.#settings.signal, controller.signal]),
    });
    const terminal: Terminal = {
      output,
      controller,
      ended: running.then(
        ({ exitCode }) => exitCode,
        (error: unknown) => {
          if (!controller.signal.aborted) onOutput("stderr", Buffer.from(messageOf(error)));
          return killed;
        },
      ),
    };
    this.#terminals.set(terminalId, terminal);
    void terminal.ended.then((exitCode) => {
      terminal.exitCode = exitCode;
      const { text } = output();
      const line = [command, ...args].join(" ");
      this.#record(
        "command",
        `$ ${line}\n${text.slice(-shownCharacters)}\n[exit code ${exitCode}]`,
      );
    });
    return { terminalId };
  }

  output(id: string): TerminalOutputResponse {
    const { output, exitCode } = this.#find(id);
    const { text, truncated } = output();
    return { output: text, truncated, exitStatus: exitCode === undefined ? null : { exitCode } };
  }

  async wait(id: string): Promise<WaitForTerminalExitResponse> {
    return { exitCode: await this.#find(id).ended };
  }

  async kill(id: string): Promise<Record<string, never>> {
    const { controller, ended } = this.#find(id);
    controller.abort();
    await ended;
    return {};
  }

  async release(id: string): Promise<Record<string, never>> {
    await this.kill(id);
    this.#terminals.delete(id);
    return {};
  }

  #find(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw new Error(`There is no terminal ${id}.`);
    return terminal;
  }
}
