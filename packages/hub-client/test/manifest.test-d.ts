import { expectTypeOf, test } from "vitest";

import { type EnvironmentManifest, environmentManifest, readManifest } from "../src/index.ts";

test("a manifest is what its schema gives", () => {
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
  // @ts-expect-error a manifest has a content hash
  expectTypeOf<Omit<EnvironmentManifest, "contentHash">>().toExtend<EnvironmentManifest>();
});

test("a reading has a manifest or a problem, never both", () => {
  const reading = readManifest(new Uint8Array());
  if (reading.manifest === undefined) expectTypeOf(reading.problem).toEqualTypeOf<string>();
  else expectTypeOf(reading.manifest).toEqualTypeOf<EnvironmentManifest>();
  // @ts-expect-error a problem may be there
  expectTypeOf(reading.manifest.name).toEqualTypeOf<string>();
});

test("the roles of the example's messages tell their fields apart", () => {
  type Message = EnvironmentManifest["example"]["messages"][number];
  expectTypeOf<Extract<Message, { role: "tool" }>["tool_call_id"]>().toEqualTypeOf<string>();
  // @ts-expect-error only an assistant calls tools
  expectTypeOf<Extract<Message, { role: "user" }>["tool_calls"]>().toBeUndefined();
});
