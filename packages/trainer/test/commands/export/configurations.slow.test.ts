import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";

import { envsHere, temporaryFolder } from "../../../../cli/test/command.ts";

const tictactoe = "./environments/tictactoe";
const url = "http://trainer:8000";

interface PrimeRl {
  readonly inference: unknown;
  readonly orchestrator: {
    readonly train: {
      readonly source: readonly [{ readonly env: Readonly<Record<string, unknown>> }];
    };
  };
}

async function exportPrimeRl(args: readonly string[]) {
  const { code, stdout, stderr } = await envsHere(["export", "prime-rl", ...args]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const config = parse(stdout) as unknown as PrimeRl;
  // Without this table, prime-rl does not start the model.
  expect(config.inference).toEqual({});
  return config.orchestrator.train.source[0].env;
}

describe("export prime-rl", () => {
  test("lists the examples by index and the environment by its URL", async () => {
    const env = await exportPrimeRl([tictactoe, "--url", `${url}/`, "--count", "3"]);
    expect(env).toEqual({
      taskset: {
        id: "openenv",
        base_url: `${url}/tictactoe`,
        resets: [0, 1, 2].map((index) => ({ split: "train", index })),
      },
      player: { harness: { id: "null" }, runtime: { type: "subprocess" } },
    });
  });

  test("uses the taskset nemo-gym for an environment with tools, and prints the command for its rows", async () => {
    const search = "./environments/wiki-search";
    const env = await exportPrimeRl([search, "--url", url]);
    expect(env).toMatchObject({
      taskset: {
        id: "nemo-gym",
        dataset: "wiki-search.jsonl",
        task: { resources_url: `${url}/nemo/wiki-search` },
      },
    });
    const { stderr } = await envsHere(["export", "prime-rl", search]);
    expect(stderr).toContain(`envs export nemo ${search} --split train`);
    expect(await exportPrimeRl([search, "--taskset", "openenv"])).toMatchObject({
      taskset: { id: "openenv" },
    });
  });
});

test("export trl writes a script with the split, the URL and the turn limit", async () => {
  const folder = await temporaryFolder();
  const out = join(folder, "train.py");
  const args = ["--url", url, "--count", "8", "-m", 'my "model"', "-o", out];
  const { code, stdout } = await envsHere(["export", "trl", tictactoe, ...args]);
  expect([code, stdout]).toEqual([0, ""]);
  const script = await readFile(out, "utf8");
  for (const line of [
    `URL = "${url}"`,
    'os.environ |= {"OPENREWARD_API_URL": URL, "OPENREWARD_SESSION_URL": URL}',
    '    env_name="tictactoe",',
    '    split="train",',
    "    num_tasks=8,",
    String.raw`    model="my \"model\"",`,
  ])
    expect(script).toContain(`${line}\n`);
});

test("includes the command that starts the server", async () => {
  const serveCommandIn = async (...args: readonly string[]) =>
    /envs serve .*/u.exec((await envsHere(["export", "trl", tictactoe, ...args])).stdout)?.[0];
  expect(await serveCommandIn()).toBe(`envs serve ${tictactoe}`);
  expect(await serveCommandIn("--url", "http://127.0.0.1:8431")).toBe(
    `envs serve ${tictactoe} --port 8431`,
  );
  expect(await serveCommandIn("--url", url, "--max-turns", "5")).toBe(
    `envs serve ${tictactoe} --config '{"maxTurns":5}' --host 0.0.0.0 --allowed-host ${new URL(url).hostname}`,
  );
});

test("export skyrl writes the server's URL and a checkpoint folder per environment", async () => {
  const skyrl = await envsHere(["export", "skyrl", tictactoe, "--url", url]);
  expect(skyrl.stdout).toContain(`OPENREWARD_SESSION_URL=${url}\n`);
  // SkyRL resumes from the newest checkpoint in its folder, even one of another environment.
  expect(skyrl.stdout).toMatch(/CKPT_DIR=.*\$DATA_DIR.*\n/u);
});

test("export verl writes a resources server for NeMo Gym", async () => {
  const folder = join(await temporaryFolder(), "gym");
  const args = [tictactoe, "--url", url, "--count", "3", "--max-turns", "5", "-o", folder];
  const { code, stdout, stderr } = await envsHere(["export", "verl", ...args]);
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(
    `envs serve ${tictactoe} --config '{"maxTurns":5}' --host 0.0.0.0 --allowed-host ${new URL(url).hostname}`,
  );
  const read = (path: string) => readFile(join(folder, path), "utf8");
  const server = "resources_servers/tictactoe";
  expect(await read(`${server}/app.py`)).toContain(`URL = "${url}/nemo/tictactoe"\n`);
  expect(await read(`${server}/requirements.txt`)).toBe("-e nemo-gym[dev] @ ../../\n");
  const rows = (await read("tictactoe.jsonl")).trim().split("\n");
  const config = parseYaml(await read(`${server}/configs/tictactoe.yaml`)) as object;
  expect(Object.keys(config)).toContain(
    (JSON.parse(rows[2]!) as { agent_ref: { name: string } }).agent_ref.name,
  );
  expect(config).toMatchObject({
    tictactoe_resources_server: { resources_servers: { tictactoe: { entrypoint: "app.py" } } },
    tictactoe_simple_agent: { responses_api_agents: { simple_agent: { max_steps: 6 } } },
  });
  expect(parseYaml(await read("verl.yaml"))).toMatchObject({
    nemo_gym: { config_paths: [expect.anything(), expect.stringContaining(`/${server}/configs/`)] },
  });
});

test("export nemo writes a row per example with the given config", async () => {
  const reverse = ["./environments/reverse-text", "--max-length", "60", "--count", "4"];
  const { code, stdout, stderr } = await envsHere(["export", "nemo", ...reverse, "--seed", "3"]);
  expect(code).toBe(0);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.map((row) => row.verifier_metadata)).toEqual(
    [0, 1, 2, 3].map((index) => ({ split: "train", index, id: expect.any(String) })),
  );
  expect(stderr).toContain(`--config '{"maxLength":60}' --seed 3`);
});

describe("export rejects", () => {
  test.each([
    [[], "Missing format. Choose one of: prime-rl, trl"],
    [["tlr", tictactoe], 'Unknown format "tlr". Did you mean trl?'],
    [["trl"], "envs export trl tictactoe"],
    [["sft"], "Missing run folder."],
    [["sft", tictactoe], "./environments/tictactoe is not a run folder."],
    [["trl", tictactoe, "--where", "win > 0"], "--where does not apply to trl."],
    [["trl", tictactoe, "--url", "trainer:8000"], '--url is "trainer:8000".'],
    [["trl", tictactoe, "--split", "test"], "Splits: train."],
    [["prime-rl", tictactoe, "--taskset", "gym"], "It must be one of: openenv, nemo-gym."],
    [["nemo", "./environments/reverse-text", "-n", "2000"], "has only 1000 examples"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await envsHere(["export", ...args]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  });
});
