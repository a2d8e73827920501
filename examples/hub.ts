// A hub in this process: started, asked, stopped. A real one listens until you end it.
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
