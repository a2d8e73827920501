// A client that opens a model on the service and never closes it: node hold-adapter.ts <base URL> <model>.
import { tinkerBackend, tinyBackend } from "../../src/index.ts";
import { startTinyModel } from "./letter-environment.ts";

const [baseURL = "", baseModel = ""] = process.argv.slice(2);
const { renderer } = tinyBackend(await startTinyModel());
await tinkerBackend({ baseURL, baseModel, renderer, contextLength: 128, loraRank: 8 });
process.stdout.write("open\n");
setInterval(() => {}, 1000);
