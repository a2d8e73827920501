import type { Environment, JudgeModels, JudgeOptions } from "@envs/core";
import { checkJudge, judgedScores, type JudgeStore, sharedJudges } from "@envs/core/engine";

import { loadFactory, type ModuleReference } from "./load-factory.ts";

/** A judge for one environment, as the module of a {@link JudgeReference} loads it. */
export interface LoadedJudge {
  readonly judge: JudgeModels;
  /** The store of answers. Default: the one of the options. */
  readonly judgeStore?: JudgeStore | undefined;
  /** Releases the judge's resources. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** The module of a judge, so that other processes can load it. Its default export is a {@link JudgeFactory}. */
export type JudgeReference = ModuleReference;

/** Loads the judge of an environment, which has scores that ask one. */
export type JudgeFactory = (
  environment: Environment,
  config: JudgeReference["config"],
) => LoadedJudge | undefined | Promise<LoadedJudge | undefined>;

/** The judge of served episodes. */
export interface ServedJudge extends JudgeOptions {
  /**
   * Required by environments with scores that ask a judge. Other processes load a reference; with models, episodes run in
   * this process.
   */
  readonly judge?: JudgeModels | JudgeReference | undefined;
}

export function isJudgeReference(judge: ServedJudge["judge"]): judge is JudgeReference {
  return typeof judge === "object" && "module" in judge;
}

/**
 * Loads the judge of an environment; `undefined` if no score asks one. Throws a `ConfigError` if one does, and no
 * judge was passed.
 */
export async function judgeFor(
  environment: Environment,
  { judge, judgeConcurrency, judgeTimeout, judgeStore }: ServedJudge,
): Promise<LoadedJudge | undefined> {
  if (judgedScores(environment).length === 0) return undefined;
  const loaded = isJudgeReference(judge)
    ? await ((await loadFactory(judge, "judge")) as JudgeFactory)(environment, judge.config)
    : asLoaded(judge);
  checkJudge(environment, { judge: loaded?.judge });
  const options = { judgeConcurrency, judgeTimeout, judgeStore: loaded?.judgeStore ?? judgeStore };
  return { ...loaded, judge: sharedJudges(loaded?.judge, options) };
}

function asLoaded(judge: JudgeModels | undefined): LoadedJudge | undefined {
  return judge === undefined ? undefined : { judge };
}
