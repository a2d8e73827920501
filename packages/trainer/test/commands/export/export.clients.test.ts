import { join } from "node:path";

import type { ReplyFunction } from "@envs/core/testing";
import { modelServer } from "@envs/models/testing";
import { serve } from "@envs/serve";
import tictactoe from "@envs/tictactoe";
import { expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../../cli/test/command.ts";
import {
  firstFree,
  playInCore,
  openenvModel,
  respondModel,
  textModel,
} from "../../../../serve/test/clients/players.ts";
import { runScript } from "../../../../serve/test/clients/python.ts";

const count = 2;

test.for<[string, ReplyFunction]>([
  ["openenv", openenvModel(firstFree)],
  ["nemo-gym", respondModel(firstFree)],
])(
  "verifiers plays the exported prime-rl configuration with the taskset %s",
  async ([taskset, answer]) => {
    await using server = await serve([tictactoe()], { port: 0 });
    await using model = await modelServer({ answer });
    const folder = await temporaryFolder();
    const environment = "./environments/tictactoe";
    const file = join(folder, "rl.toml");
    const options = ["--url", server.url, "--taskset", taskset, "--count", `${count}`];
    expect((await envsHere(["export", "prime-rl", environment, ...options, "-o", file])).code).toBe(
      0,
    );
    // The configuration refers to its rows without a folder.
    const rows = ["--count", `${count}`, "-o", join(folder, "tictactoe.jsonl")];
    expect((await envsHere(["export", "nemo", environment, ...rows])).code).toBe(0);
    const results = (await runScript("verifiers_toml.py", [file, model.url])) as readonly {
      readonly reward: number;
      readonly errors: readonly unknown[];
    }[];
    expect(results.flatMap(({ errors }) => errors)).toEqual([]);
    const core = await playInCore(tictactoe(), { answer: textModel(firstFree), count });
    expect(results.map(({ reward }) => reward)).toEqual(core.map(({ reward }) => reward));
  },
);
