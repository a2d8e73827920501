// Start a hub in this process, send it a request and stop it. A real hub runs until you stop it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hubClient } from "@envs/hub-client";
import { readSettings, startHub } from "@envs/hub-server";

const folder = await mkdtemp(join(tmpdir(), "hub-"));
const settings = readSettings({ HUB_DATA: folder, HUB_PORT: "0", HUB_LOG: "error" });
const { url, close } = await startHub(settings);

const { environments, versions } = await hubClient({ url }).readStatistics();
console.log(`a new hub has ${environments} environments and ${versions} versions`);

await close();
await rm(folder, { recursive: true });
