import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";

import { envs, temporaryFolder } from "../command.ts";

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

async function source(args: readonly string[]) {
  const { code, stdout, stderr } = await envs(["export", "prime-rl", ...args]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const written = parse(stdout) as unknown as PrimeRl;
  // Without this table prime-rl starts no model.
  expect(written.inference).toEqual({});
  return written.orchestrator.train.source[0].env;
}

describe("export prime-rl", () => {
  test("names each example by its place, and the environment by its path", async () => {
    const env = await source([tictactoe, "--url", `${url}/`, "--count", "3"]);
    expect(env).toEqual({
      taskset: {
        id: "openenv",
        base_url: `${url}/tictactoe`,
        resets: [0, 1, 2].map((index) => ({ split: "train", index })),
      },
      player: { harness: { id: "null" }, runtime: { type: "subprocess" } },
    });
  });

  test("calls tools natively where there are some, and says how to write the rows", async () => {
    const search = "./environments/wiki-search";
    const env = await source([search, "--url", url]);
    expect(env).toMatchObject({
      taskset: {
        id: "nemo-gym",
        dataset: "wiki-search.jsonl",
        task: { resources_url: `${url}/nemo/wiki-search` },
      },
    });
    const { stderr } = await envs(["export", "prime-rl", search]);
    expect(stderr).toContain(`envs export nemo ${search} --split train`);
    expect(await source([search, "--taskset", "openenv"])).toMatchObject({
      taskset: { id: "openenv" },
    });
  });
});

test("export trl writes a script with the split, the address and as many tool calls as turns", async () => {
  const folder = await temporaryFolder();
  const out = join(folder, "train.py");
  const args = ["--url", url, "--count", "8", "-m", 'my "model"', "-o", out];
  const { code, stdout } = await envs(["export", "trl", tictactoe, ...args]);
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

test("what is written says how the server is started that it asks", async () => {
  const served = async (...args: readonly string[]) =>
    /envs serve .*/u.exec((await envs(["export", "trl", tictactoe, ...args])).stdout)?.[0];
  expect(await served()).toBe(`envs serve ${tictactoe}`);
  expect(await served("--url", "http://127.0.0.1:8431")).toBe(
    `envs serve ${tictactoe} --port 8431`,
  );
  expect(await served("--url", url, "--max-turns", "5")).toBe(
    `envs serve ${tictactoe} --config '{"maxTurns":5}' --host 0.0.0.0`,
  );
});

test("export skyrl names the server that is there", async () => {
  const skyrl = await envs(["export", "skyrl", tictactoe, "--url", url]);
  expect(skyrl.stdout).toContain(`OPENREWARD_SESSION_URL=${url}\n`);
  // SkyRL goes on from the newest checkpoint in its folder, whichever environment that was of.
  expect(skyrl.stdout).toMatch(/CKPT_DIR=.*\$DATA_DIR.*\n/u);
});

test("export verl writes a folder with all that NeMo Gym wants", async () => {
  const folder = join(await temporaryFolder(), "gym");
  const args = [tictactoe, "--url", url, "--count", "3", "--max-turns", "5", "-o", folder];
  const { code, stdout, stderr } = await envs(["export", "verl", ...args]);
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(`envs serve ${tictactoe} --config '{"maxTurns":5}' --host 0.0.0.0`);
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

test("export nemo writes a row for each example, of the config that was given", async () => {
  const reverse = ["./environments/reverse-text", "--max-length", "60", "--count", "4"];
  const { code, stdout, stderr } = await envs(["export", "nemo", ...reverse, "--seed", "3"]);
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

describe("export is held wrong", () => {
  test.each([
    [[], "Name what to write. Choose: prime-rl, trl"],
    [["tlr", tictactoe], 'There is no form "tlr". Did you mean trl?'],
    [["trl"], "envs export trl tictactoe"],
    [["sft"], "Name the folder of a run"],
    [["sft", tictactoe], "./environments/tictactoe is not the folder of a run."],
    [["trl", tictactoe, "--where", "win > 0"], "--where is not for trl."],
    [["trl", tictactoe, "--url", "trainer:8000"], '--url is "trainer:8000".'],
    [["trl", tictactoe, "--split", "test"], "It has: train."],
    [["prime-rl", tictactoe, "--taskset", "gym"], "Choose: openenv, nemo-gym."],
    [["nemo", "./environments/reverse-text", "-n", "2000"], "has 1000 examples"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await envs(["export", ...args]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  });
});
