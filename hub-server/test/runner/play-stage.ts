import { hubClient, type HubPlay } from "@envs/hub-client";
import { expect, vi } from "vitest";

import type { TestHub, TestUser } from "../support/hub.ts";
import { type BundleParts, bundleOf, publishBundle } from "../support/publish-bundle.ts";
import { pushRun, testRollout, testRun } from "../support/runs.ts";
import { sharedUser } from "../support/shared-hub.ts";

export interface PushedRun {
  readonly bundle?: BundleParts;
  readonly model?: string;
  readonly examples?: number;
  readonly details?: object;
  readonly sampling?: Readonly<Record<string, unknown>>;
}

/** The users of tests about plays: ada publishes environments, bob pushes runs, carol has no rights on either. */
export function playStage(server: TestHub) {
  const ada = sharedUser(server, "ada");
  const bob = sharedUser(server, "bob");
  const carol = sharedUser(server, "carol");
  let count = 0;

  /** Publishes a bundle as ada, and pushes a run of it as bob. */
  async function push({
    bundle = {},
    model = "policy:even",
    examples = 10,
    details,
    sampling = {},
  }: PushedRun = {}) {
    count += 1;
    const name = await publishBundle(server, ada, {
      bare: `play-${count}`,
      code: bundleOf(bundle),
      manifest: { policies: ["even"] },
    });
    const rollouts = Array.from({ length: examples * 2 }, (_, index) =>
      testRollout({ example: Math.floor(index / 2), rollout: index % 2, reply: "move 2" }),
    );
    const sized = { examples, rolloutsPerExample: 2, ...details };
    const fields = { model, details: sized, sampling: { ...sampling } };
    const run = await testRun(server, name, rollouts, fields);
    return { name, id: await pushRun(server, bob, run) };
  }

  const clientOf = (user?: TestUser) => hubClient({ url: server.url, token: user?.token });

  async function resultOf(run: string): Promise<HubPlay> {
    return await vi.waitFor(
      async () => {
        const state = await clientOf().readPlay({ run });
        expect(state.outcome).not.toBe("waiting");
        return state;
      },
      { timeout: 600_000, interval: 200 },
    );
  }

  /** Waits for the hub's run of a play. */
  async function playedRun(run: string): Promise<string> {
    const state = await resultOf(run);
    if (state.outcome !== "played") throw new Error(JSON.stringify(state));
    return state.run;
  }

  return { ada, bob, carol, push, clientOf, resultOf, playedRun };
}
