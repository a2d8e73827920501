import type { EnvironmentManifest } from "@envs/hub-client";
import { shellArgument } from "@envs/web/config-form";

/** A way to train a model on an environment. */
export interface Trainer {
  readonly name: string;
  /** The protocol between the trainer and the environment. */
  readonly through: string;
  /** The guide in the documents. */
  readonly guide: string;
  /** The commands that start a training; empty if the trainer cannot use the environment. */
  readonly commands: readonly string[];
  /** Why the trainer cannot use the environment, or a hint for its use. */
  readonly note: string;
}

const url = "http://127.0.0.1:8431";
const groupSize = 8;

/** The trainers with a guide, and how each trains on an environment: `envs train` first, which needs no GPU. */
export function trainersOf(manifest: EnvironmentManifest): readonly Trainer[] {
  const name = shellArgument(manifest.package.name);
  const groupScores = manifest.scores
    .filter(({ isGroup, weight }) => isGroup && weight !== 0)
    .map((score) => score.name);
  const isGrouped = groupScores.length > 0;
  const serve = `envs serve ${name} --port 8431${isGrouped ? ` --group-size ${groupSize}` : ""}`;
  const grouped = `The score ${groupScores.join(", ")} compares the rollouts of one example, and this trainer requests the reward of one rollout at a time. Use NeMo RL or verl.`;
  /** A trainer that needs the reward of each rollout when it ends. */
  const single = (trainer: Trainer): Trainer =>
    isGrouped ? { ...trainer, commands: [], note: grouped } : trainer;
  const hasTools = manifest.kind === "tools";
  const calls =
    "The model replies by calls of the tool respond, so it needs a chat template with tools.";
  const taskset = hasTools ? "nemo-gym" : "openenv";
  return [
    {
      name: "envs train",
      through: "this project's trainer",
      guide: "/docs/guides/train",
      commands: [`envs train ${name}`],
      note: "Trains a tiny model on a processor, without Python. The same loop trains large models over Tinker.",
    },
    single({
      name: "TRL",
      through: "ORS",
      guide: "/docs/guides/train-with-trl",
      commands: [serve, `envs export trl ${name} -m Qwen/Qwen3-0.6B --url ${url} -o train.py`],
      note: `${calls} Unsloth uses the same script.`,
    }),
    single({
      name: "prime-rl",
      through: taskset === "openenv" ? "OpenEnv" : "NeMo Gym",
      guide: "/docs/guides/train-with-prime-rl",
      commands: [
        serve,
        `envs export prime-rl ${name} --url ${url} -o ${manifest.name}.toml`,
        ...(hasTools ? [`envs export nemo ${name} -o ${manifest.name}.jsonl`] : []),
      ],
      note: hasTools
        ? "Through the taskset nemo-gym, which has native tool calls."
        : "Through the taskset openenv: the model replies with text.",
    }),
    single({
      name: "SkyRL",
      through: "ORS",
      guide: "/docs/guides/train-with-skyrl",
      commands: [serve, `envs export skyrl ${name} --url ${url} -o skyrl.sh`],
      note: calls,
    }),
    {
      name: "NeMo RL",
      through: "NeMo Gym",
      guide: "/docs/guides/train-with-nemo-rl",
      commands: [serve, `envs export verl ${name} --url ${url}`],
      note: isGrouped
        ? `Waits for the whole group, whose size is ${groupSize}.`
        : "The export also contains verl's configuration.",
    },
    {
      name: "verl",
      through: "NeMo Gym",
      guide: "/docs/guides/train-with-nemo-rl#verl",
      commands: [serve, `envs export verl ${name} --url ${url}`],
      note: isGrouped
        ? `Waits for the whole group, whose size is ${groupSize}.`
        : "The same files as for NeMo RL.",
    },
    {
      name: "Tinker",
      through: "@envs/trainer",
      guide: "/docs/guides/train-with-tinker",
      commands: [`envs install @envs/trainer ${name}`],
      note: isGrouped
        ? "The loop of this project computes group scores itself."
        : "The loop of this project runs on your machine; the service computes.",
    },
  ];
}

function seatText({ name, policy }: NonNullable<EnvironmentManifest["seats"]>[number]): string {
  return policy === undefined ? name : `${name} (by default policy:${policy})`;
}

/** Properties of an environment that matter to a trainer, as a sentence each. */
export function trainingFacts({
  kind,
  tools,
  seats,
  splits,
  runtimes,
  maxTurns,
}: EnvironmentManifest): readonly string[] {
  const endless = splits.some(({ size }) => size === null);
  return [
    kind === "single-turn" ? "One reply per episode." : `Up to ${maxTurns} turns per episode.`,
    ...(tools.length > 0
      ? [`The model calls tools: ${tools.map(({ name }) => name).join(", ")}.`]
      : []),
    ...(seats === undefined
      ? []
      : [`Has the seats ${seats.map(seatText).join(", ")}. Each has its own conversation.`]),
    ...(endless
      ? ["A split has no end, or its size is unknown: choose the number of examples."]
      : []),
    ...(runtimes.includes("browser") ? ["Runs in a browser, too."] : []),
  ];
}
