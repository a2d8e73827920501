import { serve } from "@envs/serve";

/** Our server in a process of its own, on the port that it is told. */
const module = new URL("echo.ts", import.meta.url).href;
await serve([{ module }], { port: Number(process.argv[2]) });
