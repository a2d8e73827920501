import { type Route, routes } from "@envs/hub-client";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, expect, test } from "vitest";

import { sharedHub } from "./support/shared-hub.ts";

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const server = sharedHub("server");
let document: Document;
beforeAll(async () => {
  document = (await (await server.request("/api/openapi.json")).json()) as Document;
});

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...document });
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("the document has exactly the routes of the contract", () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(expected.sort());
});

test("an operation has its parameters, body, response and error", () => {
  const find = document.paths["/api/v1/environments"]?.["get"];
  expect(find).toMatchObject({
    summary: "Find environments",
    responses: {
      200: {
        content: { "application/json": { schema: { $ref: "#/components/schemas/SearchResults" } } },
      },
      "4XX": {
        content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  });
  expect(find?.parameters?.map(({ name }) => name)).toContain("q");
  const warn = document.paths["/api/v1/packages/{name}/advisories"]?.["post"];
  expect(warn?.parameters).toMatchObject([{ name: "name", in: "path", required: true }]);
  expect(warn?.requestBody).toMatchObject({
    content: {
      "application/json": { schema: { required: ["title", "severity", "vulnerableVersions"] } },
    },
  });
  expect(Object.keys(warn?.responses ?? {})).toEqual(["201", "4XX"]);
});

test("the document uses every schema that it names", () => {
  const text = JSON.stringify(document);
  const { schemas } = document.components;
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(["EnvironmentManifest", "Package"]));
  for (const name of Object.keys(schemas)) expect(text).toContain(`"#/components/schemas/${name}"`);
});

test("the reference page shows every route and schema, and loads everything from the hub", async () => {
  const page = await server.request("/api/reference");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const html = await page.text();
  for (const { method, path } of Object.values<Route>(routes))
    expect(html).toContain(`>${method}</code> <code>${path}</code>`);
  const anchors = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
  for (const name of Object.keys(document.components.schemas))
    expect(anchors, name).toContain(name);
  for (const [, anchor] of html.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(anchor);
  const addresses = Array.from(
    html.matchAll(/<(?:link|script|img) [^>]*?(?:src|href)="([^"]+)"/g),
    ([, address = ""]) => new URL(address, page.url),
  );
  expect(addresses.length).toBeGreaterThan(3);
  for (const { origin, pathname } of addresses) {
    expect(origin).toBe(server.url);
    expect((await server.request(pathname)).status, pathname).toBe(200);
  }
  expect((await server.request("/api/v1/stats")).headers.get("content-security-policy")).toBeNull();
});

test("serves the reference as text for language models", async () => {
  const response = await server.request("/llms.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  expect(text).toContain("\n- GET /api/v1/environments: Find environments\n");
  expect(text.match(/^- /gm)).toHaveLength(Object.keys(routes).length);
});
