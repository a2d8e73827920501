import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { serve } from "@envs/serve";
import tictactoe from "@envs/tictactoe";
import * as z from "zod";

import { virtualEnvironment } from "./virtual-environment.ts";

// Trains a tiny model with TRL on served tic-tac-toe, and checks that rewards change its weights. Opt-in: torch is large.
const root = join(import.meta.dirname, "../..");
const python = virtualEnvironment({
  requirements: join(root, "tooling/test/python/trl.txt"),
  folder: join(root, "node_modules/.cache/python-trl"),
});
const folder = await mkdtemp(join(tmpdir(), "envs-trl-"));
await using server = await serve([tictactoe()], { port: 0 });
try {
  const script = join(root, "tooling/test/python/trl_grpo.py");
  const { stdout } = await promisify(execFile)(python, [script, server.url, folder], {
    timeout: 15 * 60_000,
    maxBuffer: 2 ** 26,
    env: {
      ...process.env,
      HF_HUB_OFFLINE: "1",
      CUDA_VISIBLE_DEVICES: "",
      TRL_EXPERIMENTAL_SILENCE: "1",
      PYTHONDONTWRITEBYTECODE: "",
    },
  });
  const report = z
    .object({
      steps: z.array(
        z.looseObject({ reward: z.number(), rewardStd: z.number(), gradNorm: z.number() }),
      ),
      lateCalls: z.int(),
      parameters: z.int(),
      changedParameters: z.int(),
    })
    .parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  assert.equal(report.steps.length, 2, "TRL logs a reward at each of two steps");
  assert.ok(
    report.steps.some(({ rewardStd }) => rewardStd > 0),
    "the rewards of at least one group differ",
  );
  for (const { rewardStd, gradNorm } of report.steps)
    assert.equal(gradNorm > 0, rewardStd > 0, "gradients flow where rewards differ");
  assert.equal(report.lateCalls, 0, "no rollout continues after its episode");
  assert.equal(report.changedParameters, report.parameters, "every weight has changed");
} finally {
  await rm(folder, { recursive: true });
}
