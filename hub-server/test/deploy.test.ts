import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { settings } from "../src/platform/config/settings.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): Promise<string> => readFile(join(root, "deploy/hub", path), "utf8");

test("the files of deploy/hub name only settings that the hub has", async () => {
  const files = [
    "Dockerfile",
    "compose.yaml",
    "Caddyfile",
    "chart/values.yaml",
    "chart/templates/deployment.yaml",
  ];
  const texts = await Promise.all(files.map(read));
  const names = texts.join("\n").match(/\b(?:HUB|DATABASE)_[A-Z_]+/g) ?? [];
  const known = new Set([...Object.keys(settings.shape), "HUB_DOMAIN"]);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(10);
});

test("the templates of the chart use only values that exist", async () => {
  const values = await read("chart/values.yaml");
  const keys = new Set(Array.from(values.matchAll(/^ *(\w+):/gm), ([, key]) => key));
  for (const name of ["deployment", "service", "ingress", "disruption-budget"]) {
    const template = await read(`chart/templates/${name}.yaml`);
    // What a formatter of YAML makes of an action.
    expect(template).not.toContain("{ {");
    for (const [path] of template.matchAll(/(?<=\.Values\.)[\w.]+/g))
      expect([name, ...path.split(".").filter((key) => !keys.has(key))]).toEqual([name]);
    expect(template.match(/\{\{-? (?:if|range)/g)?.length ?? 0).toBe(
      template.match(/\{\{-? end/g)?.length ?? 0,
    );
  }
});

test("the image has every package that the hub depends on", async () => {
  const removed = Array.from((await read("Dockerfile")).matchAll(/envs-([a-z-]+)-\*\.tgz/g));
  const names = removed.map(([, name]) => name);
  expect(names).toEqual(["cli", "llama"]);
  const needed = new Set<string>();
  const visit = async (name: string): Promise<void> => {
    if (needed.has(name)) return;
    needed.add(name);
    const path = join(root, "packages", name, "package.json");
    const text = await readFile(existsSync(path) ? path : join(root, name, "package.json"), "utf8");
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
    for (const dependency of Object.keys(dependencies))
      if (dependency.startsWith("@envs/")) await visit(dependency.slice("@envs/".length));
  };
  await visit("hub-server");
  expect(names.filter((name) => needed.has(name!))).toEqual([]);
  expect(needed.size).toBeGreaterThan(5);
});
