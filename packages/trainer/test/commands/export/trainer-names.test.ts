import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";

import { type ExportFormatName, exportFormats } from "../../../src/commands/export/formats.ts";
import { loadTrainingSource } from "../../../src/commands/export/training-source.ts";
import trainers from "./trainer-names.json" with { type: "json" };

// The fixture is a dated copy of names in the trainers' sources: renew it from the sources that it lists.
const root = join(import.meta.dirname, "../../../../..");

async function exported(name: ExportFormatName, environment: string, taskset?: string) {
  const format = exportFormats[name];
  if (format.input === "run") throw new Error(`${name} exports runs.`);
  const source = await loadTrainingSource(join(root, "environments", environment), {
    config: {},
    url: "http://127.0.0.1:8000",
    count: 2,
    seed: 0,
    model: "Qwen/Qwen3-0.6B",
  });
  const { files } = await format.create(source, { taskset });
  return (ending: string): string => files.find(({ path }) => path.endsWith(ending))!.text;
}

/** The keyword arguments of a call in a Python script. */
function keywordsOf(script: string, call: string): readonly string[] {
  const [, body = ""] =
    new RegExp(String.raw`${call}\(\n([\s\S]*?)\n\s*\)`, "u").exec(script) ?? [];
  return [...body.matchAll(/^\s*(\w+)=/gmu)].map(([, name]) => name!);
}

type Table = Readonly<Record<string, unknown>>;
const keys = (table: unknown): readonly string[] => Object.keys(table as Table);

describe("an export uses only names of the trainer", () => {
  test("for verl, as does its guide", async () => {
    const guide = await readFile(join(root, "docs/guides/train-with-nemo-rl.md"), "utf8");
    for (const name of trainers.verl.names) expect(guide).toContain(name);
    const { nemo_gym: config } = parseYaml((await exported("verl", "tictactoe"))("verl.yaml")) as {
      nemo_gym: Table;
    };
    expect(keys(config).toSorted()).toEqual(trainers.verl.keys.toSorted());
  });

  test("for NeMo Gym", async () => {
    const file = await exported("verl", "wiki-search");
    const config = parseYaml(file("wiki_search.yaml")) as Record<string, Record<string, Table>>;
    const { resources_servers: servers } = config["wiki_search_resources_server"]!;
    expect(keys(servers!["wiki_search"])).toEqual(trainers.nemo.server);
    const { responses_api_agents: agents } = config["wiki_search_simple_agent"]!;
    expect(keys(agents!["simple_agent"])).toEqual(trainers.nemo.agent);
    const [row] = file(".jsonl").split("\n");
    expect(keys(JSON.parse(row!))).toEqual(trainers.nemo.row);
  });

  test("for prime-rl and its tasksets", async () => {
    for (const taskset of ["openenv", "nemo-gym"] as const) {
      const config = parse(
        (await exported("prime-rl", "tictactoe", taskset))(".toml"),
      ) as unknown as {
        readonly orchestrator: { readonly train: { readonly source: readonly Table[] } };
      };
      const names = trainers["prime-rl"];
      const [source] = config.orchestrator.train.source;
      expect(keys(config).toSorted()).toEqual(names.root.toSorted());
      expect(keys(config.orchestrator).toSorted()).toEqual(names.orchestrator.toSorted());
      expect(keys(source).toSorted()).toEqual(names.source_table.toSorted());
      const { taskset: table } = source!["env"] as { readonly taskset: Table };
      expect(keys(table).toSorted()).toEqual(names[taskset].toSorted());
    }
  });

  test("for TRL", async () => {
    const script = (await exported("trl", "tictactoe"))(".py");
    expect(keywordsOf(script, "GRPOConfig").toSorted()).toEqual(trainers.trl.config.toSorted());
    expect(keywordsOf(script, "OpenRewardSpec").toSorted()).toEqual(trainers.trl.spec.toSorted());
    for (const name of trainers.trl.overridden)
      expect(script).toContain(`self.${name}`.replace("self._", "_"));
  });
});

test("the server that NeMo Gym starts waits for any number of slow rollouts", async () => {
  const proxy = (await exported("verl", "tictactoe"))("app.py");
  expect(proxy).toContain("connector=TCPConnector(limit=0)");
  expect(proxy).toContain("timeout=ClientTimeout(total=None");
});
