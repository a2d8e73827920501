import { describe, expect, it } from "vitest";

import { nativePython, python } from "../../src/index.ts";
import { sandboxContract } from "../contract/contract.ts";

describe.each([python(), nativePython()])("$name", (provider) => {
  it.each(Object.entries(sandboxContract(provider)))("%s", async (_, check) => {
    await expect(check()).resolves.toBeUndefined();
  });
});
