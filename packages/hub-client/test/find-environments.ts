import { hubClient, isHubRequestError } from "@envs/hub-client";

const hub = hubClient({ url: process.argv[2] ?? "http://localhost:4873" });

const { items, facets } = await hub.findEnvironments({ q: "tictactow", tag: "game" });
for (const { name, version, description } of items)
  console.log(`${name}@${version} ${description}`);
for (const { value, count } of facets.kinds) console.log(`${value}: ${count}`);

try {
  const { environment } = await hub.readPackage({ name: "@envs/checkers" });
  console.log(environment?.scores.map(({ name }) => name));
} catch (error) {
  if (!isHubRequestError(error)) throw error;
  console.log(error.status, error.code, error.message);
}
