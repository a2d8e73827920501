import { type Route, routes } from "@envs/hub-client";
import { expect, test } from "vitest";

const routesByName: Readonly<Record<string, Route>> = routes;

test.each(Object.entries(routesByName))(
  "%s uses each field name once, and all path parameters",
  (_, route) => {
    const { path, params, query, body } = route;
    const [pathNames, ...otherNames] = [params, query, body].map((part) =>
      Object.keys(part?.shape ?? {}),
    );
    expect(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)).toEqual(pathNames);
    const names = [pathNames, ...otherNames].flat();
    expect(new Set(names).size).toBe(names.length);
  },
);

test("routes differ in method or path", () => {
  const signatures = Object.values(routesByName).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(signatures).size).toBe(signatures.length);
});
