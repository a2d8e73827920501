/** The process of one JavaScript sandbox. It answers the requests of its host until the host ends; `start` resets it. */
import { serve, unexpected } from "../child/channel.ts";
import type { Request } from "../child/messages.ts";
import type { Reply } from "../child/reply.ts";
import { type Machine, openMachine } from "./machine.ts";

let machine: Machine | undefined;

await serve(async (request) => {
  if (request.type !== "start") return answerTo(machine!, request);
  machine = await openMachine(request);
  return { type: "done" };
});

function answerTo({ run, files }: Machine, request: Request): Reply {
  switch (request.type) {
    case "run":
      return run(request);
    case "read": {
      const content = files.read(request.path);
      if (content === undefined)
        throw new Error(`There is no file ${request.path} in the sandbox.`);
      return { type: "content", content: Buffer.from(content).toString("base64") };
    }
    case "write":
      files.write(request.path, Buffer.from(request.content, "base64"));
      return { type: "done" };
    default:
      throw unexpected(request);
  }
}
