import { random } from "@envs/core";
import { type RunUpload, suiteFile } from "@envs/hub-client";

import type { TestHub, TestUser } from "./hub.ts";
import { publishOrThrow } from "./publish.ts";
import { pushDeclared, pushRun, testRollout, testRun } from "./runs.ts";
import { seedEnvironment } from "./seed-environment.ts";

/** A published suite of two environments, and the names of its packages. */
export interface SeededSuite {
  readonly name: string;
  readonly members: readonly [string, string];
  /** Pushes a run of a member as `envs suite run --push` does; fields replace those of its recipe. */
  push(run: SuiteRun): Promise<string>;
}

/** One run of a member of a suite. */
export interface SuiteRun {
  readonly as: TestUser;
  readonly member: 0 | 1;
  readonly model: string;
  /** The probability of a reward of 1. */
  readonly skill: number;
  readonly examples?: number | undefined;
  /** Default true. */
  readonly isDeclared?: boolean | undefined;
  readonly fields?: Partial<RunUpload> | undefined;
}

const examples = 20;
const rolloutsPerExample = 2;

/** The config that the suite locks for its second environment, without its defaults. */
const lockedConfig = { level: "hard" };

/** Publishes a suite of a public environment, and of a second one with the access of `second`. */
export async function seedSuite(
  server: TestHub,
  owner: TestUser,
  { bare = "games", second = "public" }: { bare?: string; second?: "public" | "restricted" } = {},
): Promise<SeededSuite> {
  const bares = [`${bare}-ladder`, `${bare}-maze`] as const;
  const { name: first } = await seedEnvironment(server.hub, owner, { bare: bares[0] });
  const properties = {
    level: { type: "string", default: "easy" },
    size: { type: "integer", default: 5 },
  };
  const { name: other } = await seedEnvironment(server.hub, owner, {
    bare: bares[1],
    access: second,
    manifest: { config: { type: "object", properties } },
  });
  const name = `@${owner.name}/${bare}`;
  const lock = { version: "1.0.0", seed: 7, examples, rolloutsPerExample };
  const environments = [
    { environment: first, ...lock },
    { environment: other, ...lock, config: lockedConfig },
  ];
  await publishOrThrow(server, name, {
    as: owner,
    access: "public",
    files: { [suiteFile]: JSON.stringify({ schema: 1, environments }) },
    packageJson: {
      description: "Two games that need planning",
      keywords: ["llm-suite"],
      dependencies: { [first]: "1.0.0", [other]: "1.0.0" },
    },
  });
  return {
    name,
    members: [first, other],
    async push({ as, member, model, skill, ...options }) {
      const { examples: played = examples, fields = {}, isDeclared = true } = options;
      const config = member === 0 ? {} : { ...lockedConfig, size: 5 };
      const details = { examples, rolloutsPerExample, suite: `${name}@1.0.0` };
      const draws = random("suite", model, member);
      const rollouts = Array.from({ length: played * rolloutsPerExample }, (_, index) =>
        testRollout({
          environment: bares[member],
          example: Math.floor(index / rolloutsPerExample),
          rollout: index % rolloutsPerExample,
          scores: { win: Number(draws.next() < skill) },
        }),
      );
      const recipe = { model, config, seed: 7, details, ...fields };
      const run = await testRun(server, [first, other][member]!, rollouts, recipe);
      return await (isDeclared ? pushDeclared : pushRun)(server, as, run);
    },
  };
}
