import { type Route, routes } from "@envs/hub-client";
import { expect, test } from "vitest";

const table: Readonly<Record<string, Route>> = routes;

test.each(Object.entries(table))("%s stands for one thing by each name", (_, route) => {
  const { path, params, query, body } = route;
  const [inPath, ...others] = [params, query, body].map((part) => Object.keys(part?.shape ?? {}));
  expect(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)).toEqual(inPath);
  const all = [inPath, ...others].flat();
  expect(new Set(all).size).toBe(all.length);
});

test("no two routes are asked alike", () => {
  const asked = Object.values(table).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(asked).size).toBe(asked.length);
});
