#!/usr/bin/env node
import { run } from "./main.ts";
import { goOnUnread } from "./unread.ts";

goOnUnread();
process.exitCode = await run(process.argv.slice(2));
