import { expectTypeOf, test } from "vitest";

import { type EnvironmentManifest, environmentManifest, readManifest } from "../src/index.ts";

test("the schema's output is EnvironmentManifest", () => {
  expectTypeOf(environmentManifest.parse({})).toEqualTypeOf<EnvironmentManifest>();
  expectTypeOf<EnvironmentManifest["schema"]>().toEqualTypeOf<1>();
  expectTypeOf<EnvironmentManifest["kind"]>().toEqualTypeOf<
    "single-turn" | "multi-turn" | "tools"
  >();
  expectTypeOf<EnvironmentManifest["splits"][number]>().toEqualTypeOf<{
    name: string | null;
    size: number | null;
  }>();
  expectTypeOf<EnvironmentManifest["scores"][number]["range"]>().toEqualTypeOf<
    [number, number] | undefined
  >();
  // @ts-expect-error the content hash is required
  expectTypeOf<Omit<EnvironmentManifest, "contentHash">>().toExtend<EnvironmentManifest>();
});

test("a reading has a manifest or a problem, never both", () => {
  const reading = readManifest(new Uint8Array());
  if (reading.manifest === undefined) expectTypeOf(reading.problem).toEqualTypeOf<string>();
  else expectTypeOf(reading.manifest).toEqualTypeOf<EnvironmentManifest>();
  // @ts-expect-error the manifest may be undefined
  expectTypeOf(reading.manifest.name).toEqualTypeOf<string>();
});

test("the role of a message determines its fields", () => {
  type Message = EnvironmentManifest["example"]["messages"][number];
  expectTypeOf<Extract<Message, { role: "tool" }>["tool_call_id"]>().toEqualTypeOf<string>();
  // @ts-expect-error only assistant messages have tool calls
  expectTypeOf<Extract<Message, { role: "user" }>["tool_calls"]>().toBeUndefined();
});
