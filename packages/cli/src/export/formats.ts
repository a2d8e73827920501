import type { Exported, TrainingSource } from "./format.ts";
import { harbor } from "./formats/harbor.ts";
import { nemo } from "./formats/nemo.ts";
import { primeRl } from "./formats/prime-rl.ts";
import { samples } from "./formats/samples.ts";
import { sft, type SftOptions } from "./formats/sft.ts";
import { skyrl } from "./formats/skyrl.ts";
import { trl } from "./formats/trl.ts";
import { verl } from "./formats/verl.ts";
import type { RunSource } from "./run-source.ts";

interface OfEnvironment {
  readonly of: "environment";
  readonly summary: string;
  /** Which options of the command it takes. */
  readonly options: readonly string[];
  /** If it is a folder: what comes behind the environment's name, where a person names none. */
  readonly folder?: string;
  readonly make: (
    source: TrainingSource,
    options: { readonly taskset: string | undefined },
  ) => Exported | Promise<Exported>;
}

interface OfRun {
  readonly of: "run";
  readonly summary: string;
  readonly options: readonly string[];
  readonly make: (run: RunSource, options: SftOptions) => Exported;
}

const served = ["url", "split", "count", "model", "config"];
const rows = ["split", "count", "seed", "config"];

/** What can be written, in the order of help. */
export const forms = {
  "prime-rl": {
    of: "environment",
    summary: "a TOML file",
    options: [...served, "taskset"],
    make: (source, { taskset }) => primeRl(source, taskset),
  },
  trl: { of: "environment", summary: "a Python script", options: served, make: trl },
  skyrl: { of: "environment", summary: "a shell script", options: served, make: skyrl },
  verl: {
    of: "environment",
    summary: "a folder for NeMo Gym, for NeMo RL and verl",
    options: ["url", ...rows],
    folder: "gym",
    make: verl,
  },
  nemo: { of: "environment", summary: "rows of NeMo Gym", options: rows, make: nemo },
  harbor: {
    of: "environment",
    summary: "task folders",
    options: rows,
    folder: "harbor",
    make: harbor,
  },
  sft: { of: "run", summary: "chat JSONL", options: ["where", "bare", "calls"], make: sft },
  samples: {
    of: "run",
    summary: "token ids, masks, log-probabilities, rewards",
    options: ["where"],
    make: samples,
  },
} as const satisfies Record<string, OfEnvironment | OfRun>;

/** What can be written. */
export type FormName = keyof typeof forms;

export function isForm(text: string): text is FormName {
  return Object.hasOwn(forms, text);
}
