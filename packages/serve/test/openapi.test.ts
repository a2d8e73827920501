import doubleCheck from "@envs/double-check";
import { describe, expect } from "vitest";
import * as z from "zod";

import contest from "./fixtures/contest.ts";
import { test as serverTest } from "./support/test-server.ts";

interface Schema {
  readonly type?: string | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
}
interface Operation {
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The smallest value that a schema permits. */
function sample(schema: Schema = {}): unknown {
  const { type, properties = {}, required = [], items, minItems = 0 } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return sample(first);
  if (type === "object")
    return Object.fromEntries(required.map((name) => [name, sample(properties[name])]));
  if (type === "array") return Array.from({ length: minItems }, () => sample(items));
  if (type === "integer" || type === "number") return 0;
  return type === "string" ? "train" : {};
}

const parameters: Readonly<Record<string, string>> = {
  environment: "double-check",
  tool: "respond",
  "x-session-id": "walk",
};

function requestOf(url: string, path: string, [method, operation]: [string, Operation]): Request {
  const headers = new Headers();
  for (const { in: place, name, required } of operation.parameters ?? [])
    if (place === "header" && required === true) headers.set(name, parameters[name] ?? "1");
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (schema !== undefined) headers.set("content-type", "application/json");
  return new Request(url + path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => parameters[name]!), {
    method: method.toUpperCase(),
    headers,
    body: schema === undefined ? null : JSON.stringify(sample(schema)),
  });
}

const test = serverTest.extend("served", async ({ startServer }) => {
  const { url } = await startServer([doubleCheck(), contest()], { groupSize: 2 });
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return { url, document };
});

describe("every documented route", () => {
  test("responds as its schema says", async ({ served: { url, document } }) => {
    const paths = Object.entries(document.paths);
    expect(paths.length).toBeGreaterThan(40);
    for (const [path, operations] of paths)
      for (const operation of Object.entries(operations)) {
        const name = `${operation[0]} ${path}`;
        const response = await fetch(requestOf(url, path, operation));
        const body = await response.text();
        const { responses } = operation[1];
        const documented = responses[response.status] ?? responses[`${response.status}`[0] + "XX"];
        expect(documented, `${name}: ${response.status} ${body}`).toBeDefined();
        expect(response.status, name).toBeLessThan(500);
        expect(response.status, name).not.toBe(405);
        const type = response.headers.get("content-type")?.split(";")[0] ?? "";
        const schema = documented!.content?.[type]?.schema;
        expect(body === "" || schema !== undefined, `${name}: ${type}`).toBe(true);
        if (type !== "application/json") continue;
        const { error } = z.fromJSONSchema(schema as never).safeParse(JSON.parse(body));
        expect(error, `${name}: ${body}`).toBeUndefined();
      }
  });

  test("responds to other methods with 405 and those that it has", async ({
    served: { url, document },
  }) => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const documented = Object.keys(operations).map((name) => name.toUpperCase());
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (documented.includes(method)) continue;
        const { url: address } = requestOf(url, path, ["get", { responses: {} }]);
        const response = await fetch(address, { method });
        const allow = response.headers
          .get("allow")
          ?.split(", ")
          .filter((name) => name !== "HEAD");
        expect([response.status, allow?.sort()], `${method} ${path}`).toEqual([
          405,
          documented.sort(),
        ]);
      }
    }
  });

  test("responds to an unknown path with 404, also to a method whose body needs a type", async ({
    served: { url },
  }) => {
    for (const method of ["GET", "QUERY"])
      expect((await fetch(`${url}/wiki-search/unknown`, { method })).status, method).toBe(404);
  });

  test("documents the session id of each route that needs one", async ({ served }) => {
    const needsId = /^\/(?:create|ping|delete|delete_session|[\w-]+\/(?:prompt|task_tools|call))$/u;
    for (const [path, operations] of Object.entries(served.document.paths))
      for (const { tags, parameters: documented = [] } of Object.values(operations)) {
        if (tags?.[0] !== "ors") continue;
        const header = documented.find(({ name }) => name === "x-session-id");
        expect(header?.required === true, path).toBe(needsId.test(path));
      }
  });
});
