import { startGateway } from "@envs/gateway";
import { openai } from "@envs/models";

// Our gateway with sessions of rollouts that call the endpoint of the first argument; the second is their number.
const [baseURL = "", count = "1"] = process.argv.slice(2);
const gateway = await startGateway();
const model = openai("model", { baseURL, apiKey: "none" });
const keys = Array.from({ length: Number(count) }, () => gateway.open({ model }).apiKey);
console.log(JSON.stringify({ origin: gateway.origin, keys }));
