import { join } from "node:path";

import { hubClient } from "@envs/hub-client";
import { modelServer } from "@envs/models/testing";
import { expect, test } from "vitest";

import { envs, finished, start, temporaryFolder } from "./support/command-line.ts";
import { startHub } from "./support/hub/process.ts";
import { logIn } from "./support/hub/publishing.ts";

const root = join(import.meta.dirname, "../..");
const evaluation = "eval reverse-text -m model -n 60 -r 1 --quiet --json".split(" ");

/** Starts a push and kills a process when the hub has some, but not all parts. */
async function pushUntil(
  run: string,
  variables: Readonly<Record<string, string>>,
  kill: (child: ReturnType<typeof start>) => unknown,
): Promise<number | null> {
  const child = start(["run", "push", run], variables);
  child.stderr?.on("data", (chunk) => {
    if (/ [1-9]\d* of \d+ parts/.test(String(chunk))) kill(child);
  });
  return (await finished(child)).code;
}

test("resumes a push after the client and the hub were killed, and shows the run only then", async () => {
  await using folder = await temporaryFolder();
  const variables = { HUB_REGISTRATION: "open" };
  const data = join(folder.path, "data");
  await using first = await startHub({ data, variables, args: ["--seed", root] });
  const { token } = await logIn(first.url, "ada");
  // Long replies, so that few rollouts fill several parts.
  await using server = await modelServer({ answer: () => "x".repeat(400_000) });
  const options = ["--base-url", server.url, "--save", folder.path];
  const evaluated = await envs([...evaluation, ...options]);
  expect(evaluated.code, evaluated.stderr).toBe(0);
  const local = JSON.parse(evaluated.stdout) as {
    run: string;
    counts: object;
    reward: { readonly mean: number };
  };
  const credentials = { ENVS_HUB: first.url, ENVS_HUB_TOKEN: token };

  expect(await pushUntil(local.run, credentials, (child) => child.kill("SIGKILL"))).toBeNull();
  expect(await pushUntil(local.run, credentials, () => first.child.kill("SIGKILL"))).toBe(1);

  await using second = await startHub({ data, variables });
  const client = hubClient({ url: second.url });
  const name = "@envs/reverse-text";
  expect((await client.listRuns({ name })).total).toBe(0);
  const { code, stdout, stderr } = await envs(["run", "push", local.run], {
    ...credentials,
    ENVS_HUB: second.url,
  });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Pushed 60 rollouts");
  // The first line reports the parts that the hub had before.
  expect(stderr).toMatch(/^pushing 60 rollouts · [1-9]/);
  const { items } = await client.listRuns({ name });
  expect(items.map(({ summary }) => summary)).toMatchObject([{ counts: local.counts }]);
  // The last digits of a sum depend on its order, and rollouts finish in any order.
  expect(items[0]?.summary.reward.mean).toBeCloseTo(local.reward.mean, 9);
});
