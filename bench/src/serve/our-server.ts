import { serve } from "@envs/serve";

/** Our server in its own process. Arguments: the port and the number of processes. */
const [port = 0, processes] = process.argv.slice(2).map(Number);
const module = new URL("echo.ts", import.meta.url).href;
await serve([{ module }], { port, processes });
