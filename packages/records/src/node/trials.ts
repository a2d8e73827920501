import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";

import { ConfigError, type Rollout } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { type Fields, fieldsOf, isFields, listOf, parseJson, textOf } from "../json.ts";
import { isTrajectory, readTrajectory } from "../read-trajectory.ts";
import { RolloutNumbers } from "../rollout-numbers.ts";
import { trialFacts, trialModel } from "../trial-facts.ts";

/** A trial of Harbor, or a trajectory alone, as a rollout. */
export interface Trial {
  /** The folder of the trial, or the file of the trajectory. */
  readonly path: string;
  /** The agent and its model: `claude-code@anthropic/claude-opus-4`. */
  readonly model: string;
  readonly rollout: Rollout;
}

/** A file that is neither. */
export interface UnreadableTrial {
  readonly path: string;
  readonly problem: string;
}

/** Jobs contain trials; a folder of jobs contains them two levels deeper. */
const maxDepth = 3;
const maxMediaBytes = 20_000_000;

/**
 * Reads the trials below a path: a job folder of Harbor, one of its trials, a folder of trajectories, or one trajectory in ATIF.
 * Pictures and sounds beside a trajectory are read too, never those outside its folder. Throws a `ConfigError` if the path does not exist.
 */
export async function* readTrials(path: string): AsyncGenerator<Trial | UnreadableTrial> {
  const numbers = new RolloutNumbers();
  const indices = new Map<string, number>();
  for await (const found of find(path)) {
    if ("problem" in found) {
      yield found;
      continue;
    }
    const { trajectory, result } = found;
    const facts = result === undefined ? {} : trialFacts(result);
    const read = readTrajectory(trajectory, facts);
    const { exampleKey: key } = read.rollout;
    const exampleIndex = indices.get(key) ?? indices.size;
    indices.set(key, exampleIndex);
    const rollout = {
      ...read.rollout,
      environment: read.rollout.environment || basename(dirname(resolve(found.path))),
      exampleIndex,
      rolloutIndex: numbers.next(read),
    };
    yield { path: found.path, model: trialModel(result, trajectory), rollout };
  }
}

interface Found {
  readonly path: string;
  readonly trajectory: Fields;
  readonly result?: Fields | undefined;
}

async function* find(path: string): AsyncGenerator<Found | UnreadableTrial> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new ConfigError(`Cannot read ${path}: ${messageOf(error)}`, [], { cause: error });
  });
  if (!stats.isDirectory()) yield await trajectoryFile(path);
  else yield* below(path, maxDepth);
}

async function* below(folder: string, depth: number): AsyncGenerator<Found | UnreadableTrial> {
  const result = await jsonFile(join(folder, "result.json"));
  if (isFields(result) && typeof result["trial_name"] === "string") {
    yield await trial(folder, result);
    return;
  }
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) yield* below(path, depth - 1);
    if (!entry.isFile() || !entry.name.endsWith(".json")) continue;
    const json = await jsonFile(path);
    if (isFields(json) && isTrajectory(json))
      yield { path, trajectory: await withMedia(json, folder) };
  }
}

/** A trial with the trajectory of its agent, or of its agents of all steps. An agent such as the oracle writes none. */
async function trial(folder: string, result: Fields): Promise<Found> {
  const steps = listOf(result["step_results"]).map((step) => textOf(fieldsOf(step)["step_name"]));
  const folders =
    steps.length === 0
      ? [join(folder, "agent")]
      : steps.map((name) => join(folder, "steps", basename(name ?? ""), "agent"));
  const trajectories: Fields[] = [];
  for (const agent of folders) trajectories.push(...(await continued(agent, "trajectory.json")));
  const [first] = trajectories;
  if (first === undefined)
    return {
      path: folder,
      result,
      trajectory: { steps: [{ source: "user", message: result["task_name"] }] },
    };
  return { path: folder, result, trajectory: joined(first, trajectories.slice(1)) };
}

/** A trajectory and those that continue it, which begin with steps that they copied. */
async function continued(folder: string, file: string): Promise<readonly Fields[]> {
  const found: Fields[] = [];
  const names = new Set<string>();
  for (let name: string | undefined = file; name !== undefined && !names.has(name);) {
    names.add(name);
    const json = await jsonFile(join(folder, name));
    if (!isFields(json) || !isTrajectory(json)) break;
    found.push(await withMedia(json, folder));
    const next = textOf(json["continued_trajectory_ref"]);
    name = next === undefined ? undefined : basename(next);
  }
  return found;
}

function joined(first: Fields, others: readonly Fields[]): Fields {
  if (others.length === 0) return first;
  const own = others
    .flatMap(({ steps }) => listOf(steps).map(fieldsOf))
    .filter((step) => step["is_copied_context"] !== true);
  const agents = [first, ...others].flatMap((part) => listOf(part["subagent_trajectories"]));
  return {
    ...first,
    steps: [...listOf(first["steps"]), ...own],
    subagent_trajectories: agents,
    final_metrics: undefined,
  };
}

async function trajectoryFile(path: string): Promise<Found | UnreadableTrial> {
  const json = await jsonFile(path);
  if (isFields(json) && isTrajectory(json))
    return { path, trajectory: await withMedia(json, dirname(path)) };
  return {
    path,
    problem: "It is not a trajectory: its schema_version is not ATIF-v1.0 to ATIF-v1.8.",
  };
}

async function jsonFile(path: string): Promise<unknown> {
  return readFile(path, "utf8")
    .then(parseJson)
    .catch(() => undefined);
}

/** A trajectory whose pictures and sounds in its folder are `data:` URLs. */
async function withMedia(trajectory: Fields, folder: string): Promise<Fields> {
  const root = await realpath(folder);
  const replace = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return await Promise.all(value.map(replace));
    if (!isFields(value)) return value;
    const { media_type: type, path } = value;
    if (typeof type === "string" && typeof path === "string")
      return { ...value, path: (await dataUrlOf(root, path, type)) ?? path };
    const entries = Object.entries(value).map(
      async ([name, item]) => [name, await replace(item)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };
  const hasMedia = JSON.stringify(trajectory).includes('"media_type"');
  return hasMedia ? fieldsOf(await replace(trajectory)) : trajectory;
}

async function dataUrlOf(root: string, path: string, type: string): Promise<string | undefined> {
  try {
    const file = await realpath(resolve(root, path));
    if (!file.startsWith(root + sep) || (await stat(file)).size > maxMediaBytes) return undefined;
    return `data:${type};base64,${(await readFile(file)).toString("base64")}`;
  } catch {
    return undefined;
  }
}
