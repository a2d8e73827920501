// Writes dist/cluster.tar.gz, an empty cluster of the embedded PostgreSQL. Hubs unpack it at their first start: initdb in
// WebAssembly takes a second instance of PostgreSQL, several seconds and hundreds of megabytes.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";

const folder = join(import.meta.dirname, "dist");
const database = await PGlite.create();
const dump = await database.dumpDataDir("gzip");
await database.close();
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "cluster.tar.gz"), Buffer.from(await dump.arrayBuffer()));
