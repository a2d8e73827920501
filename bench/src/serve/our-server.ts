import { serve } from "@envs/serve";

/** Our server in its own process. Arguments: the port and the number of threads. */
const [port = 0, threads] = process.argv.slice(2).map(Number);
const module = new URL("echo.ts", import.meta.url).href;
await serve([{ module }], { port, threads });
