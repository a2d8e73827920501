import { ConfigError, defineEnvironment, end, type EnvironmentFactory, tool } from "@envs/core";
import { offerMachine } from "@envs/gateway/machine";
import { type ExecResult, type MachineProvider } from "@envs/machine";
import { trialReward } from "@envs/records";
import * as z from "zod";

import { promptOf } from "./agent/prompt.ts";
import { feedbackOf } from "./feedback.ts";
import { findTasks } from "./task/find-tasks.ts";
import { obstaclesOf } from "./task/obstacles.ts";
import type { HarborTask } from "./task/task.ts";
import { prepareImages } from "./trial/prepare-images.ts";
import { Trial } from "./trial/trial.ts";

export interface HarborOptions {
  /** The name of the environment. Default `harbor`. */
  readonly name?: string | undefined;
  /** Creates the machines of agents and graders. */
  readonly provider: MachineProvider;
  /** Variables that tasks may ask for as `${NAME}`. Default: those of this process. */
  readonly host?: Readonly<Record<string, string | undefined>> | undefined;
  /** The time now in milliseconds. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** The bytes of output that a model reads of one command. */
const maxOutput = 20_000;

/**
 * The tasks below a folder as an environment: each task is an example, a model works in the task's machine by the tool `bash`, and the
 * task's own tests decide the reward. Throws a `ConfigError` for a folder without tasks, and for a task that is invalid.
 */
export function harbor(folder: string, options: HarborOptions): EnvironmentFactory {
  const tasks = findTasks(folder);
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const { provider, host = process.env, now = () => performance.now() } = options;
  const isRunnable = (task: HarborTask): boolean => obstaclesOf(task).length === 0;
  const runnable = tasks.filter(isRunnable);
  if (runnable.length === 0) throw new ConfigError(refusal(tasks));

  return defineEnvironment({
    name: options.name ?? "harbor",
    description:
      "Tasks in Harbor's format: an agent works in a machine, and the task's tests grade it.",
    tags: ["agent", "machine", "tools", "multi-turn"],
    requires: [provider],

    config: z.object({
      grade: z
        .enum(["same", "fresh"])
        .default("same")
        .describe(
          "Where tests run: in the agent's machine, whose processes have ended, or in a new one with the declared artifacts",
        ),
      artifacts: z
        .string()
        .optional()
        .describe("Folder in which the declared artifacts are stored, for envs run rescore"),
      maxTurns: z.int().min(1).default(100).describe("Maximum number of model turns per task"),
      commandSeconds: z.int().min(1).default(120).describe("Time limit of a command in seconds"),
    }),

    systemPrompt: `You work in a Linux machine by the tools bash and edit. Each command runs in a new shell; files stay.
When the task is done, reply without a tool call.`,

    dataset: () =>
      runnable.map((task) => ({
        prompt: promptOf(task),
        task: task.name,
        difficulty: task.config.metadata["difficulty"],
        category: task.config.metadata["category"],
      })),

    async setup({ example, config, signal }) {
      const trial = await Trial.start(byName.get(example.task)!, {
        provider,
        grading: config.grade,
        store: config.artifacts,
        host,
        now,
        signal,
      });
      void prepareImages(runnable[runnable.indexOf(trial.task) + 1], { provider, host, signal });
      offerMachine(signal, () => trial.agentMachine);
      return trial;
    },

    tools: ({ state, config }) => {
      const own = {
        bash: tool({
          description: "Runs a command in the machine. Returns what it prints and its exit code.",
          input: z.object({ command: z.string().min(1).describe("For bash -c") }),
          execute: async ({ command }, { signal }) =>
            shown(await state.run(command, config.commandSeconds, signal)),
        }),
        edit: tool({
          description:
            "Replaces a text that occurs once in a file. Writes a new file if old_text is empty.",
          input: z.object({
            path: z.string().min(1),
            old_text: z.string().describe("Exactly as in the file"),
            new_text: z.string(),
          }),
          execute: (edit, { signal }) => state.edit(edit, signal),
        }),
      };
      return { ...own, ...state.mcpServers.tools(Object.keys(own)) };
    },

    async respond({ state }) {
      const next = await state.finishStep();
      return next ?? end(state.artifacts === undefined ? [] : [state.artifacts]);
    },

    episode: {
      maxTurns: ({ config }) => config.maxTurns,
      stop: { agent_timeout: ({ state }) => state.isLate },
    },

    rubric: {
      tests: {
        description: "The reward of the task's tests: the one named reward, else the mean of all",
        score: async ({ state }) => {
          const { rewards, log } = await state.grade();
          const score = trialReward(rewards);
          return { score, feedback: feedbackOf(rewards, score < 1 ? log : "") };
        },
      },
    },

    policies: {
      async oracle({ state, signal }) {
        const { exitCode, stderr } = await state.solve(signal);
        return exitCode === 0 ? "Done." : `solve.sh ended with ${exitCode}: ${stderr.slice(-500)}`;
      },
      nop: () => "Done.",
    },
  });
}

function shown({ stdout, stderr, exitCode, timedOut }: ExecResult): string {
  const text = [stdout, stderr].filter((part) => part !== "").join("\n");
  const cut =
    text.length <= maxOutput
      ? text
      : `${text.slice(0, maxOutput / 2)}\n[${text.length - maxOutput} characters left out]\n${text.slice(-maxOutput / 2)}`;
  if (timedOut) return `${cut}\n[ended after its time limit]`;
  return exitCode === 0 ? cut : `${cut}\n[exit code ${exitCode}]`;
}

function refusal(tasks: readonly HarborTask[]): string {
  const lines = tasks.slice(0, 10).map((task) => `${task.name}: ${obstaclesOf(task).join(", ")}.`);
  return `None of the ${tasks.length} tasks can run here.\n${lines.join("\n")}`;
}
