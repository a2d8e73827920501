import { parquet } from "@envs/data";
import * as z from "zod";

// Prints the peak memory in MB of a process that reads the first 20 rows of a Parquet file.
let count = 0;
for await (const _ of parquet(process.argv[2]!, { schema: z.looseObject({}) }))
  if ((count += 1) === 20) break;
process.stdout.write(String(process.resourceUsage().maxRSS / 1024));
