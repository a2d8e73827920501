import { type Model, type ModelResponse, RolloutError } from "@envs/core";

import { storedFiles } from "../packages/files/stored-files.ts";
import type { Database } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";
import type { TinyRequest } from "../rescoring/sandbox/tiny-worker.ts";
import { startWorker, workerLimits } from "../rescoring/sandbox/worker-process.ts";
import { PlayProblem } from "./play-problem.ts";
import type { Player } from "./player.ts";

const weights = "model.safetensors";
/** The maximum size of a model that fits into the memory of its process. */
const maxBytes = 16 * 2 ** 20;
const replyMs = 30_000;

/** The newest version of a public package with a tiny model, named as in `envs eval -m tiny:<name>`. */
export async function tinyPlayer(hub: Hub, name: string): Promise<Player> {
  const names = name.startsWith("@") ? [name] : [`@envs/tiny-${name}`, name];
  const versionId = await newestVersion(hub.database, names);
  if (versionId === undefined)
    throw new PlayProblem(
      "refused",
      `This hub has no public package ${names.join(" or ")} with a ${weights} of at most ${maxBytes} bytes.`,
    );
  return {
    concurrency: 1,
    price: null,
    async start({ signal }) {
      const files = await storedFiles(hub, versionId);
      const bytes = files.get(weights) ?? Buffer.alloc(0);
      const options = { timeoutMs: replyMs, signal, program: "tiny" } as const;
      const worker = await startWorker(bytes.toString("base64"), workerLimits, options);
      const model: Model = async ({ messages, sampling, seed, session = "" }) => {
        const request: TinyRequest = { messages, sampling, seed, session };
        return replyOf(await worker.request(JSON.stringify(request), replyMs));
      };
      return { model, [Symbol.dispose]: () => worker[Symbol.dispose]() };
    },
  };
}

function replyOf(text: string): ModelResponse {
  const reply = JSON.parse(text) as ModelResponse & { isOverflow?: true; problem?: string };
  if (reply.isOverflow !== true) return reply;
  throw new RolloutError("model", reply.problem ?? "", { isOverflow: true });
}

async function newestVersion(
  database: Database,
  names: readonly string[],
): Promise<number | undefined> {
  const rows = await database
    .selectFrom("packages")
    .innerJoin("search_entries", "search_entries.package_id", "packages.id")
    .innerJoin("files", "files.version_id", "search_entries.version_id")
    .where("packages.name", "in", [...names])
    .where("packages.access", "=", "public")
    .where("files.path", "=", weights)
    .where("files.size", "<=", maxBytes)
    .select(["packages.name", "search_entries.version_id"])
    .execute();
  const order = rows.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  return order[0]?.version_id;
}
