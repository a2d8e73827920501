import { serve } from "@envs/serve";

/** Our server in a process of its own: on which port, and in how many threads episodes run. */
const [port = 0, threads] = process.argv.slice(2).map(Number);
const module = new URL("echo.ts", import.meta.url).href;
await serve([{ module }], { port, ...(threads === undefined ? {} : { threads }) });
