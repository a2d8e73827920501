import { join } from "node:path";

import { type EnvironmentFactory, evaluate, policy } from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { beforeAll, expect, test, vi } from "vitest";

import { careful } from "./careful-judge.ts";

type AnyFactory = Pick<EnvironmentFactory, "definition"> & {
  (config?: never): ReturnType<EnvironmentFactory<never>>;
};

/** A port, and the mean reward of its policies, the best first, on the sample beside it. */
export interface Port {
  readonly factory: AnyFactory;
  readonly means: Readonly<Record<string, number>>;
  /** The minimum reward of the best policy on each example. Default: its mean. */
  readonly fullReward?: number;
  /** The config that selects the sample, if the port does not read its dataset from Hugging Face. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The number of examples for policies with a mean reward of 0. Default: as for the others. */
  readonly zeroRewardExamples?: number;
}

/** The folder of the samples. */
export const datasets = join(import.meta.dirname, "../../ports/datasets");

/** Reads datasets of Hugging Face from the samples. */
export function useSamples(): void {
  beforeAll(() => {
    vi.stubEnv("ENVS_DATASETS", datasets);
    return () => vi.unstubAllEnvs();
  });
}

/** Declares the tests that every port passes. */
export function testPorts(ports: readonly Port[]): void {
  test.each(byName(ports))("%s passes the conformance suite", async (_, port) => {
    const { factory, means, config, fullReward = Object.values(means)[0] } = port;
    const options = { judge: careful, fullReward, examples: 3, config };
    await expect(checkEnvironment(factory, options)).resolves.toBeUndefined();
  });
  testPolicies(ports);
}

/** Declares the tests of ports whose sandboxes take too long for the conformance suite, which plays hundreds of rollouts. */
export function testPolicies(ports: readonly Port[]): void {
  test.each(byName(ports))("the policies of %s get their rewards", async (_, port) => {
    const { factory, means, config, zeroRewardExamples = 20 } = port;
    expect(Object.keys(factory.definition.policies ?? {})).toEqual(Object.keys(means));
    for (const [name, mean] of Object.entries(means)) {
      const examples = mean === 0 ? zeroRewardExamples : 20;
      const run = { model: policy(name), judge: careful, examples, rolloutsPerExample: 1 };
      const { reward } = await evaluate(factory(config as never), run);
      expect(reward.mean, name).toBeCloseTo(mean, 12);
    }
  });
}

function byName(ports: readonly Port[]): readonly (readonly [string, Port])[] {
  return ports.map((port) => [port.factory.definition.name, port] as const);
}
