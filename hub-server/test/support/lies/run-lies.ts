import type { Rollout } from "@envs/core";
import { hubClient, isHubRequestError } from "@envs/hub-client";
import { setBadge } from "@envs/hub-server/src/evaluations/runs/badges.ts";
import { change } from "@envs/hub-server/src/platform/hub/hub.ts";

import { pushRun, testRollout, testRun } from "../runs.ts";
import {
  datasetSize,
  playDeclared,
  pushStaged,
  rowOf,
  type Stage,
  type StagedRun,
} from "../stage.ts";

/** A way in which a user could make a model look better, and the hub's answer. */
export interface Lie {
  readonly name: string;
  /** What the liar does. */
  readonly act: string;
  /** The code of the hub's error, or what the hub shows. */
  readonly answer: string;
  /** Returns what the hub shows. Throws the hub's error. */
  readonly tell: (stage: Stage, model: string) => Promise<string>;
}

/** Tries a lie on a hub. Returns the answer, and the message of the error. */
export async function answerTo(
  { name, tell }: Lie,
  stage: Stage,
): Promise<{ readonly answer: string; readonly message: string }> {
  try {
    return { answer: await tell(stage, name), message: "" };
  } catch (error) {
    if (!isHubRequestError(error)) throw error;
    return { answer: error.code, message: error.message };
  }
}

const isWon = (rollout: Rollout): boolean => rollout.status === "scored" && rollout.reward === 1;

/** A lie of which the hub must not accept the run. */
function refused(name: string, act: string, answer: string, run: Partial<StagedRun> = {}): Lie {
  return {
    name,
    act,
    answer,
    tell: async (stage, model) => `accepted: ${await pushStaged(stage, { model, ...run })}`,
  };
}

const mismatch = "declaration-mismatch";

/** Lies about declared and uploaded runs, which `answerTo` tries on a hub. */
export const runLies: readonly Lie[] = [
  refused("dropped-failures", "Drops the failed rollouts.", mismatch, {
    failures: 0.5,
    change: (all) => all.filter(({ status }) => status === "scored"),
  }),
  refused("dropped-losses", "Keeps the rollouts with a reward of 1.", mismatch, {
    change: (all) => all.filter(isWon),
  }),
  refused("dropped-examples", "Drops the examples without a win.", mismatch, {
    skill: 0.2,
    change: (all) => {
      const won = new Set(all.filter(isWon).map(({ exampleKey }) => exampleKey));
      return all.filter(({ exampleKey }) => won.has(exampleKey));
    },
  }),
  refused("small-part", "Declares 40 × 64 rollouts and pushes 100.", mismatch, {
    examples: null,
    rolloutsPerExample: 64,
    change: (all) => all.slice(0, 100),
  }),
  refused(
    "repeated",
    "Pushes a lucky rollout in the place of the last one.",
    "run-record-invalid",
    {
      examples: 1,
      rolloutsPerExample: 3,
      skill: 1,
      failures: 0,
      change: ([first, second]) => [first!, second!, first!],
    },
  ),
  refused("additional", "Adds lucky rollouts to each example.", mismatch, {
    change: (all) => [
      ...all,
      ...all.map((rollout) => ({ ...rollout, rolloutIndex: rollout.rolloutIndex + 2 })),
    ],
  }),
  refused("renumbered", "Drops a rollout and numbers a second one beyond the last.", mismatch, {
    change: ([first, ...rest]) => [{ ...first!, rolloutIndex: 7 }, ...rest],
  }),
  refused("other-seed", "Plays a seed that was lucky before.", mismatch, { upload: { seed: 7 } }),
  refused("other-examples", "Plays other examples than the seed chooses.", mismatch, {
    change: (all) => {
      const played = new Set(all.map(({ exampleIndex }) => exampleIndex));
      const others = Array.from({ length: datasetSize }, (_, index) => index).filter(
        (index) => !played.has(index),
      );
      return [...played].flatMap((_, index) =>
        [0, 1].map((rollout) =>
          testRollout({ example: others[index]!, rollout, scores: { win: 1, penalty: 0 } }),
        ),
      );
    },
  }),
  refused("other-selection", "Plays other examples than the selected ones.", mismatch, {
    declared: { size: 20, details: { select: "20-39" } },
    upload: { details: { examples: 10, rolloutsPerExample: 2, select: "20-39" } },
  }),
  refused("other-model", "Declares a small model and plays a large one.", mismatch, {
    upload: { model: "gpt-large" },
  }),
  refused("other-sampling", "Plays with another temperature.", mismatch, {
    upload: { sampling: { temperature: 0 } },
  }),
  refused("other-config", "Plays an easier config.", mismatch, {
    upload: { config: { level: "trivial" } },
  }),
  refused("other-limits", "Plays without the declared limit of turns.", mismatch, {
    declared: { details: { maxTurns: 3 } },
  }),
  refused("added-limits", "Plays with a limit of turns that was not declared.", mismatch, {
    upload: { details: { examples: 10, rolloutsPerExample: 2, maxTurns: 50 } },
  }),
  refused("added-judge", "Plays with a judge that was not declared.", mismatch, {
    upload: { details: { examples: 10, rolloutsPerExample: 2, judge: "a-generous-judge" } },
  }),
  refused("added-sub-model", "Plays with a sub-model that was not declared.", mismatch, {
    upload: { details: { examples: 10, rolloutsPerExample: 2, subModel: "gpt-large" } },
  }),
  refused("added-suite", "Counts a run for a suite that was not declared.", mismatch, {
    upload: { details: { examples: 10, rolloutsPerExample: 2, suite: "@ada/games@1.0.0" } },
  }),
  refused("other-split", "Plays another split.", mismatch, { upload: { split: "train" } }),
  refused("other-version", "Plays another version of the environment.", mismatch, {
    upload: { version: "1.1.0" },
  }),
  refused("other-code", "Plays edited code.", "run-integrity", {
    upload: { contentHash: `sha256-${"1".repeat(64)}` },
  }),
  refused(
    "small-dataset",
    "Declares that the dataset has only easy examples.",
    "declaration-size",
    {
      declared: { size: 10 },
    },
  ),
  refused("too-large", "Declares more rollouts than the hub accepts.", "run-too-large", {
    rolloutsPerExample: 100_000,
  }),
  refused("training", "Pushes a declared run as a training.", mismatch, {
    upload: { kind: "training" },
  }),
  refused("unknown-declaration", "Invents a declaration.", "declaration-closed", {
    upload: { declaration: "0000000000000000" },
  }),
  refused("edited-reward", "Edits a reward.", "run-record-invalid", {
    change: ([first, ...rest]) => [{ ...first!, status: "scored", reward: 5 } as Rollout, ...rest],
    failures: 0,
  }),
  {
    name: "borrowed",
    act: "Uses the declaration of another user.",
    answer: "declaration-closed",
    async tell(stage, model) {
      const other = await stage.server.createUser("borrower");
      return await pushRun(stage.server, other, await playDeclared(stage, { model }));
    },
  },
  {
    name: "second-run",
    act: "Pushes a better run for a declaration that a run has used.",
    answer: "declaration-closed",
    async tell(stage, model) {
      const first = await playDeclared(stage, { model });
      await pushRun(stage.server, stage.user, first);
      const better = { ...first.upload, driver: "another program" };
      return await pushRun(stage.server, stage.user, { ...first, upload: better });
    },
  },
  {
    name: "replaced",
    act: "Deletes a declared run and pushes a better one for its declaration.",
    answer: "declaration-closed",
    async tell(stage, model) {
      const run = await playDeclared(stage, { model });
      const id = await pushRun(stage.server, stage.user, run);
      await hubClient({ url: stage.server.url, token: stage.user.token }).deleteRun({ run: id });
      return await pushRun(stage.server, stage.user, run);
    },
  },
  {
    name: "deleted",
    act: "Deletes the declared runs with a low reward.",
    answer: "1 of 3 declared runs came back",
    async tell(stage, model) {
      const ids = [];
      for (let run = 0; run < 3; run += 1) ids.push(await pushStaged(stage, { model }));
      const client = hubClient({ url: stage.server.url, token: stage.user.token });
      for (const run of ids.slice(1)) await client.deleteRun({ run });
      return await cameBack(stage, model);
    },
  },
  {
    name: "copied",
    act: "Copies the rollouts of another user's run, and names another model.",
    answer: "the page names the earlier run",
    async tell(stage, model) {
      await pushStaged(stage, { model: `${model}-first` });
      const as = await stage.server.createUser("copier");
      const copy = await pushStaged(stage, { model, as });
      const html = await (await stage.server.request(`/run/${copy}`)).text();
      // Runs of other lies have the same replies: the page names the earliest.
      const named = /equal replies.*?href="\/run\/(\w+)"/su.exec(html)?.[1];
      const isNamed = named !== undefined && named !== copy;
      return isNamed ? "the page names the earlier run" : "not found";
    },
  },
  {
    name: "lucky-seed",
    act: "Declares five runs to choose the one with easy examples.",
    answer: "the same seed for each",
    async tell(stage, model) {
      const seeds = new Set<number | null>();
      for (let run = 0; run < 5; run += 1)
        seeds.add((await playDeclared(stage, { model })).upload.seed);
      return seeds.size === 1 ? "the same seed for each" : `${seeds.size} seeds`;
    },
  },
  refused(
    "invented-repeat",
    "Invents a run to repeat, which would give another seed.",
    "not-found",
    {
      declared: { details: { reproduces: "0000000000000000" } },
    },
  ),
  refused(
    "invisible-name",
    "Hides lost runs under a name with an invisible character.",
    "invalid-request",
    { model: "gpt\u200B-large" },
  ),
  {
    name: "best-of-ten",
    act: "Declares ten runs and pushes the best one.",
    answer: "1 of 10 declared runs came back, 9 may still come",
    async tell(stage, model) {
      for (let run = 0; run < 9; run += 1) await playDeclared(stage, { model });
      await pushStaged(stage, { model });
      return await cameBack(stage, model);
    },
  },
  {
    name: "never-pushed",
    act: "Declares runs and pushes none.",
    answer: "0 of 2 declared runs came back, 2 may still come",
    async tell(stage, model) {
      for (let run = 0; run < 2; run += 1) await playDeclared(stage, { model });
      return await cameBack(stage, model);
    },
  },
  {
    name: "not-declared",
    act: "Pushes a lucky run that was not declared.",
    answer: "uploaded, without a rank",
    async tell(stage, model) {
      const run = await playDeclared(stage, { model, skill: 1, upload: { declaration: null } });
      const { rank, run: shown } = await rowOf(stage, await pushRun(stage.server, stage.user, run));
      return `${shown.badges[0]?.name}${rank === null ? ", without a rank" : ""}`;
    },
  },
  {
    name: "relabelled",
    act: "Calls each rollout with a low reward a failure.",
    answer: "the reward and pass@1 of the honest run",
    async tell(stage, model) {
      const honest = await playDeclared(stage, { model, failures: 0 });
      const liar = honest.rollouts.map((rollout) =>
        isWon(rollout)
          ? rollout
          : testRollout({
              example: rollout.exampleIndex,
              rollout: rollout.rolloutIndex,
              error: "model",
            }),
      );
      const { declaration, seed, config, details } = honest.upload;
      const recipe = { model, declaration, seed, config, details };
      const run = await testRun(stage.server, stage.name, liar, recipe);
      const { summary } = (await rowOf(stage, await pushRun(stage.server, stage.user, run))).run;
      const won = honest.rollouts.filter(isWon).length / honest.rollouts.length;
      const reward = won - (1 - won) * 0.5;
      const isSame =
        Math.abs((summary.ranked.reward ?? 0) - reward) < 1e-9 &&
        Math.abs((summary.ranked.passAtK["1"] ?? 0) - won) < 1e-9;
      return isSame ? "the reward and pass@1 of the honest run" : JSON.stringify(summary.ranked);
    },
  },
  {
    name: "own-threshold",
    act: "Lowers the threshold of pass@k.",
    answer: "invalid-request",
    async tell(stage, model) {
      const run = await playDeclared(stage, { model });
      const upload = { ...run.upload, passThreshold: 0 };
      return await pushRun(stage.server, stage.user, { ...run, upload });
    },
  },
  {
    name: "refuted",
    act: "States rewards that the published code does not give.",
    answer: "refuted, without a rank, readable",
    async tell(stage, model) {
      const id = await pushStaged(stage, { model, skill: 1 });
      const badge = { runId: id, badge: "refuted", evidence: { different: 3 } } as const;
      await change(stage.server.hub, ({ database, now }) => setBadge(database, { ...badge, now }));
      const { rank, run } = await rowOf(stage, id);
      const { status } = await stage.server.request(`/run/${id}`);
      return `${run.badges.at(-1)?.name}${rank === null ? ", without a rank" : ""}${status === 200 ? ", readable" : ""}`;
    },
  },
];

/** What the board shows of the runs that the user declared with a model. */
async function cameBack({ server, name, user }: Stage, model: string): Promise<string> {
  const html = await (await server.request(`/package/${name}/evaluations`)).text();
  const { declared } = await hubClient({ url: server.url }).readLeaderboard({ name });
  const row = declared.find((each) => each.model === model && each.owner === user.name);
  if (row === undefined) return "not counted";
  const waiting = row.open === 0 ? "" : `, ${row.open} may still come`;
  const text = `${row.completed} of ${row.declared} declared runs came back${waiting}`;
  return html.replaceAll("<!-- -->", "").includes(text) ? text : `not on the page: ${text}`;
}
