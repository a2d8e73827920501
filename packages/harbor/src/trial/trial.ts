import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import type { Message } from "@envs/core";
import type { AgentMachine } from "@envs/gateway/machine";
import type { ExecResult, Machine, MachineProvider } from "@envs/machine";

import { McpServers } from "../agent/mcp-servers.ts";
import type { TaskConfig } from "../task/config.ts";
import { withHostVariables } from "../task/host-variables.ts";
import { mcpServersOf } from "../task/mcp-servers-of.ts";
import type { HarborTask, TaskStep } from "../task/task.ts";
import { type Edit, editFile } from "./edit-file.ts";
import { type Grade, grade, type Grading } from "./grade.ts";
import {
  type MachineContext,
  machineOptions,
  networkOf,
  restrictsNetwork,
} from "./machine-options.ts";
import { combineRewards, reaches } from "./rewards.ts";
import { storeArtifacts } from "./stored-artifacts.ts";

export interface TrialOptions extends MachineContext {
  readonly provider: MachineProvider;
  readonly grading: Grading;
  /** The folder of this computer in which the artifacts of the last step are stored. Default: they are not. */
  readonly store: string | undefined;
  /** The time now in milliseconds, for the agent's time limit. */
  readonly now: () => number;
}

/** A task in progress: its machine, the step that the agent works on, and the rewards of the steps before. */
export class Trial implements AsyncDisposable {
  readonly task: HarborTask;
  readonly machine: Machine;
  /** The MCP servers of the task, which are connected while the agent works. */
  readonly mcpServers: McpServers;
  readonly #options: TrialOptions;
  readonly #grades: Grade[] = [];
  #index = 0;
  #deadline = Infinity;
  #isOver = false;
  #artifacts: Message | undefined;
  #failure: { readonly error: unknown } | undefined;

  private constructor(task: HarborTask, machine: Machine, options: TrialOptions) {
    this.task = task;
    this.machine = machine;
    this.#options = options;
    const { host, signal } = options;
    const { user } = task.config.agent;
    this.mcpServers = new McpServers(mcpServersOf(task, host), { machine, user, signal });
  }

  /** Builds or pulls the task's image, starts its machine and prepares the first step. */
  static async start(task: HarborTask, options: TrialOptions): Promise<Trial> {
    const settings = machineOptions(
      task.config.environment,
      join(task.folder, "environment"),
      options,
      restrictsNetwork(task.config),
    );
    const trial = new Trial(task, await options.provider.create(settings), options);
    try {
      await trial.#prepare();
      return trial;
    } catch (error) {
      await trial[Symbol.asyncDispose]();
      throw error;
    }
  }

  get step(): TaskStep {
    return this.task.steps[this.#index]!;
  }

  /** Whether the agent's time for this step is over. */
  get isLate(): boolean {
    return this.#options.now() >= this.#deadline;
  }

  /** Where and for how long a program of the agent runs. */
  get agentMachine(): AgentMachine {
    const { machine } = this;
    const { user } = this.#agent;
    const millisecondsLeft = this.#millisecondsLeft;
    return { machine, user, millisecondsLeft, modelTools: ["bash", "edit"] };
  }

  /** Runs a command of the agent, for as long as its time and `seconds` last. */
  async run(command: string, seconds: number, signal: AbortSignal): Promise<ExecResult> {
    return this.machine.exec(["bash", "-c", command], {
      user: this.#agent.user,
      timeoutMs: Math.min(seconds * 1000, this.#millisecondsLeft ?? Infinity),
      signal,
    });
  }

  /** Changes a file with the rights of the agent. Resolves to what a model reads. */
  async edit(edit: Edit, signal: AbortSignal): Promise<string> {
    const { user } = this.#agent;
    return editFile(this.machine, edit, { user, timeoutMs: this.#millisecondsLeft, signal });
  }

  /** Runs the solution of the step, as the oracle does. Throws if the task lacks a solution. */
  async solve(signal: AbortSignal): Promise<ExecResult> {
    const { solution } = this.step;
    if (solution === undefined) throw new Error(`${this.task.name} has no solution/solve.sh.`);
    await this.machine.copyIn(solution, "/solution");
    return this.machine.exec(["bash", "/solution/solve.sh"], {
      user: this.#agent.user,
      env: withHostVariables(this.task.config.solution.env, this.#options.host, this.task.folder),
      timeoutMs: this.#millisecondsLeft,
      signal,
    });
  }

  /**
   * Grades the step, and begins the next one. Returns its instruction; `undefined` after the last step, and after one that
   * earned too little or whose grader failed.
   */
  async finishStep(): Promise<string | undefined> {
    if (this.#isOver) return undefined;
    await this.mcpServers.close();
    try {
      this.#grades.push(await grade(this, { ...this.#options, onArtifacts: this.#keepArtifacts }));
    } catch (error) {
      this.#failure = { error };
    }
    const least = this.task.config.steps?.[this.#index]?.min_reward;
    this.#isOver =
      this.#failure !== undefined ||
      this.#index === this.task.steps.length - 1 ||
      !reaches(this.#grades.at(-1)!.rewards, least);
    if (this.#isOver) return undefined;
    this.#index += 1;
    await this.#prepare();
    return this.step.instruction;
  }

  /** Names what the agent left for the grader of the last step, if it is stored. */
  get artifacts(): Message | undefined {
    return this.#artifacts;
  }

  /** The rewards of the trial by name, and the last grader's log. Grades a step that the agent did not end. Throws if a grader failed. */
  async grade(): Promise<Grade> {
    await this.finishStep();
    this.#isOver = true;
    if (this.#failure !== undefined) throw this.#failure.error;
    const steps = this.#grades.map(({ rewards }) => rewards);
    const { multi_step_reward_strategy: strategy } = this.task.config;
    return { rewards: combineRewards(steps, strategy), log: this.#grades.at(-1)!.log };
  }

  get #keepArtifacts(): ((folder: string) => Promise<void>) | undefined {
    const isLast = this.#index === this.task.steps.length - 1;
    const { store } = this.#options;
    if (store === undefined || !isLast) return undefined;
    return async (folder) => {
      this.#artifacts = await storeArtifacts(folder, store);
    };
  }

  /** The rest of the agent's time; `undefined` if the task does not limit it. */
  get #millisecondsLeft(): number | undefined {
    const left = this.#deadline - this.#options.now();
    return Number.isFinite(left) ? Math.max(1, left) : undefined;
  }

  get #agent(): TaskConfig["agent"] {
    return { ...this.task.config.agent, ...this.task.config.steps?.[this.#index]?.agent };
  }

  async #prepare(): Promise<void> {
    const { machine } = this;
    const { workdir } = this.step;
    await machine.exec(
      "mkdir -p /logs/agent /logs/verifier /logs/artifacts && chmod 777 /logs/agent /logs/artifacts",
      { user: "root" },
    );
    if (workdir !== undefined) {
      const place = (await machine.exec("pwd")).stdout.trim();
      await machine.copyIn(workdir, place);
      const setup = await machine.exec("if [ -f setup.sh ]; then bash setup.sh; fi");
      if (setup.exitCode !== 0)
        throw new Error(
          `setup.sh of the step ${this.step.name} failed: ${setup.stderr.slice(-500)}`,
        );
    }
    await this.#waitUntilHealthy();
    const network = networkOf(this.#agent) ?? networkOf(this.task.config.environment);
    if (network !== undefined) await machine.setNetwork(network);
    await this.mcpServers.connect();
    const { timeout_sec: limit } = this.#agent;
    this.#deadline = limit === undefined ? Infinity : this.#options.now() + limit * 1000;
  }

  /** Waits for the health check of the step; that of the environment came with the machine. */
  async #waitUntilHealthy(): Promise<void> {
    const check = this.task.config.steps?.[this.#index]?.healthcheck;
    if (check === undefined) return;
    await setTimeout(check.start_period_sec * 1000, undefined, { signal: this.#options.signal });
    for (let failures = 1; ; failures += 1) {
      const { exitCode, stderr } = await this.machine.exec(check.command, {
        timeoutMs: check.timeout_sec * 1000,
      });
      if (exitCode === 0) return;
      if (failures === check.retries)
        throw new Error(
          `The health check of the step ${this.step.name} failed ${failures} times: ${stderr.slice(-500)}`,
        );
      await setTimeout(check.interval_sec * 1000, undefined, { signal: this.#options.signal });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mcpServers.close().catch(() => {});
    await this.machine[Symbol.asyncDispose]();
  }
}
