#!/usr/bin/env node
import { ignoreClosedPipe } from "@envs/terminal";

import { run } from "./main.ts";

ignoreClosedPipe();
process.exitCode = await run(process.argv.slice(2));
