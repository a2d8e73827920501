// Writes a cluster of the embedded PostgreSQL with the tables of a new hub, which hubs unpack at their first start.
import { glob, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { connectEmbedded } from "./dist/platform/database/connect.js";
import { builtCluster, emptyCluster } from "./dist/platform/database/create-cluster.js";
import { openEmbedded } from "./dist/platform/database/embedded.js";
import { migrate } from "./dist/platform/database/migrate.js";

for await (const name of glob("cluster*.tar.gz", { cwd: join(import.meta.dirname, "dist") }))
  await rm(join(import.meta.dirname, "dist", name));
const database = await openEmbedded(undefined, emptyCluster);
const connection = await connectEmbedded(database);
await migrate(connection);
const dump = await database.dumpDataDir("gzip");
await connection.close();
await writeFile(await builtCluster(), Buffer.from(await dump.arrayBuffer()));
