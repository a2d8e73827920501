import { access } from "node:fs/promises";
import { join } from "node:path";

import { type TestHub, testHub } from "@envs/hub-server/testing/hub";
import { publishOrThrow } from "@envs/hub-server/testing/publish";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { clientNames, clients } from "./support/clients.ts";
import { startClient } from "./support/clients/client.ts";

describe("a hub whose upstream is another hub", () => {
  let upstream: TestHub;
  let hub: TestHub;
  const variables = { HUB_HOST: "localhost", HUB_LIMITS: "off" };

  beforeAll(async () => {
    upstream = await testHub("server", variables);
    hub = await testHub("server", { ...variables, HUB_UPSTREAM: `proxy ${upstream.url} @ada` });
    const ada = await upstream.createUser("ada");
    await publishOrThrow(upstream, "@ada/base", { as: ada, files: { "index.js": "" } });
    const packageJson = { dependencies: { "@ada/base": "^1.0.0" } };
    await publishOrThrow(upstream, "@ada/top", { as: ada, packageJson });
  });
  let closing: Promise<void> | undefined;
  const closeUpstream = (): Promise<void> => (closing ??= upstream.close());
  afterAll(async () => {
    await hub.close();
    await closeUpstream();
  });

  const install = async (name: (typeof clientNames)[number]) => {
    await using client = await startClient(clients[name], { url: hub.url, scope: "ada" });
    const { code } = await client.run("install", "@ada/top@^1.0.0");
    if (name !== "Yarn 4")
      await access(join(client.workplace.project, "node_modules/@ada/top/package.json"));
    return code;
  };

  test.each(clientNames)("%s installs a package and its dependency", async (name) => {
    expect(await install(name)).toBe(0);
  });

  test("installs from its copies after the upstream has stopped", async () => {
    await closeUpstream();
    hub.hub.invalidate(undefined);
    expect(await install("npm 11")).toBe(0);
  });
});
