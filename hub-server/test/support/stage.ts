import { random, type Rollout } from "@envs/core";
import {
  hubClient,
  type LeaderboardRow,
  type RunDeclaration,
  type RunUpload,
} from "@envs/hub-client";
import { chosenPositions } from "@envs/hub-server/src/evaluations/declarations/sample.ts";

import type { TestHub, TestUser } from "./hub.ts";
import { declare, pushRun, testRollout, type TestRun, testRun } from "./runs.ts";
import { seedEnvironment } from "./seed-environment.ts";

/** The number of examples of the published environment. */
export const datasetSize = 40;

/** A hub with one environment, and its users. */
export interface Stage {
  readonly server: TestHub;
  readonly name: string;
  readonly user: TestUser;
}

/** A declared run: the declaration, its rollouts, and what a liar changes afterwards. */
export interface StagedRun {
  readonly model: string;
  readonly examples?: number | null;
  readonly rolloutsPerExample?: number;
  /** The probability of a reward of 1. Default 0.5. */
  readonly skill?: number;
  /** The probability that a rollout fails. Default 0.1. */
  readonly failures?: number;
  readonly declared?: Partial<RunDeclaration>;
  readonly change?: (rollouts: readonly Rollout[], seed: number) => readonly Rollout[];
  readonly upload?: Partial<RunUpload>;
  /** Default: the user of the stage. */
  readonly as?: TestUser;
}

/** Publishes the environment of a stage. */
export async function openStage(server: TestHub, user: TestUser): Promise<Stage> {
  const { name } = await seedEnvironment(server.hub, user, {
    bare: "chess",
    versions: ["1.0.0", "1.1.0"],
    manifest: {
      scores: [
        { name: "win", weight: 1, isGroup: false, range: [0, 1] },
        { name: "penalty", weight: -1, isGroup: false, range: [0, 0.5] },
      ],
      config: { type: "object", properties: { level: { type: "string", default: "easy" } } },
      splits: [{ name: null, size: datasetSize }],
      passThreshold: 0.9,
    },
  });
  return { server, name, user };
}

/** Declares a run, and plays what the hub has chosen. */
export async function playDeclared(stage: Stage, run: StagedRun): Promise<TestRun> {
  const { examples = 10, rolloutsPerExample = 2, skill = 0.5, failures = 0.1, change } = run;
  const details = { examples: examples ?? -1, rolloutsPerExample };
  const recipe = { config: { level: "easy" }, model: run.model, details };
  const empty = await testRun(stage.server, stage.name, [testRollout({})], recipe);
  const size = { examples, size: datasetSize, rolloutsPerExample };
  const { upload } = await declare(stage.server, run.as ?? stage.user, empty, {
    ...size,
    ...run.declared,
  });
  const { declaration, seed } = upload;
  const draws = random(seed ?? 0, "replies");
  const positions = [...(await chosenPositions({ ...size, ...run.declared }, seed ?? 0))];
  const rollouts = positions.flatMap((example) =>
    Array.from({ length: rolloutsPerExample }, (_, rollout) => {
      const win = Number(draws.next() < skill);
      const hasFailed = draws.next() < failures;
      const penalty = win === 0 ? 0.5 : 0;
      return testRollout({
        example,
        rollout,
        scores: { win, penalty },
        reward: win - penalty,
        ...(hasFailed ? { error: "model" as const } : {}),
        reply: `move ${draws.int(1e9)}`,
      });
    }),
  );
  return await testRun(stage.server, stage.name, change?.(rollouts, seed ?? 0) ?? rollouts, {
    ...recipe,
    declaration,
    seed,
    ...run.upload,
  });
}

/** Declares, plays and pushes a run. Returns its id. Throws the hub's error. */
export async function pushStaged(stage: Stage, run: StagedRun): Promise<string> {
  return await pushRun(stage.server, run.as ?? stage.user, await playDeclared(stage, run));
}

/** The row of a run on its leaderboard. */
export async function rowOf({ server, name }: Stage, id: string): Promise<LeaderboardRow> {
  const client = hubClient({ url: server.url });
  const { recipe } = await client.readRun({ run: id });
  const { version, configHash: config, sample: examples } = recipe;
  const { rows } = await client.readLeaderboard({ name, version, config, examples });
  const row = rows.find(({ run }) => run.id === id);
  if (row === undefined) throw new Error(`The run ${id} is on no board.`);
  return row;
}
