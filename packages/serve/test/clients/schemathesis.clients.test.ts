import { join } from "node:path";

import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { expect, test } from "vitest";

import { serve } from "../../src/index.ts";
import { runCommand } from "./python.ts";

const config = join(import.meta.dirname, "../python/schemathesis.toml");

test("all responses to requests of Schemathesis match the OpenAPI document", async () => {
  await using server = await serve([tictactoe(), wikiSearch()], { port: 0 });
  const { code, output } = await runCommand("schemathesis", [
    "--config-file",
    config,
    "run",
    `${server.url}/openapi.json`,
    "--generation-deterministic",
    "--max-examples",
    "5",
    "--max-time",
    "20",
    "--suppress-health-check",
    "all",
  ]);
  expect(code, output).toBe(0);
  expect(output).toMatch(/\d{3,} generated/u);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});
