import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Model } from "@envs/core";
import { llama } from "@envs/llama";
import { chatServer } from "@envs/models/server";

import { envs } from "./command-line.ts";
import { recordedEvaluations, recordedModel } from "./evaluations.ts";
import { type RecordedCall, recordedCall, repliesFile } from "./recording.ts";

// Records the replies of a language model to the demo's evaluations: `node demo/src/record.ts <GGUF file>`.
const [file = ""] = process.argv.slice(2);
await using model = await llama(file, { threads: 1, sequences: 1 });
const calls: RecordedCall[] = [];
const recorder: Model = async (request) => {
  const response = await model(request);
  const { message, finish, usage } = response;
  calls.push(
    recordedCall.parse({
      messages: request.messages.map(({ role, content }) => ({ role, content })),
      reply: message.content,
      finish,
      ...usage,
    }),
  );
  return response;
};
const server = await chatServer(Object.assign(recorder, { id: recordedModel }), { port: 0 });
const outputs = await mkdtemp(join(tmpdir(), "envs-record-"));
for (const evaluation of recordedEvaluations)
  process.stdout.write(
    await envs(
      [
        "eval",
        ...evaluation,
        "-m",
        recordedModel,
        "--base-url",
        server.url,
        "-c",
        "1",
        "--save",
        outputs,
      ],
      { variables: {} },
    ),
  );
await server.close();
await writeFile(repliesFile, calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
