import { testHub } from "@envs/hub-server/testing/hub";
import { makePerson } from "@envs/hub-server/testing/person";
import { test as base } from "vitest";

/** Tests that share a hub and its user `ada` within their file. */
export const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies from the pattern
  .extend("hub", { scope: "file" }, async ({}, { onCleanup }) => {
    const hub = await testHub("server");
    onCleanup(() => hub.close());
    return hub;
  })
  .extend("ada", { scope: "file", auto: true }, ({ hub }) => makePerson(hub, "ada"));
