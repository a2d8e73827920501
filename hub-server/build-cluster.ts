// Writes dist/cluster.tar.gz, an empty cluster of the embedded PostgreSQL, which hubs unpack at their first start.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { initialize } from "./dist/platform/database/create-cluster.js";

await writeFile(join(import.meta.dirname, "dist/cluster.tar.gz"), Buffer.from(await initialize()));
