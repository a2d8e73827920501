import { isConfigError } from "@envs/core/engine";
import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished } from "vitest";

import { serve } from "../src/index.ts";
import { test } from "./support/test-server.ts";

const { href: module } = new URL("fixtures/judged.ts", import.meta.url);
const { href: judgeModule } = new URL("fixtures/http-judge.ts", import.meta.url);

test("the processes of a server load its judge", async ({ startServer }) => {
  const judge = await modelServer({ name: "careful" });
  onTestFinished(() => judge.close());
  const server = await startServer([{ module }], {
    processes: 2,
    judge: { module: judgeModule, config: { url: judge.url } },
    judgeTimeout: Infinity,
  });
  const sockets = await Promise.all([1, 2, 3, 4].map(() => server.openSocket()));
  const rewards = await Promise.all(
    sockets.map(async (socket, index) => {
      await socket.reset();
      const reply = await socket.step({ text: index % 2 === 0 ? "good" : "bad" });
      return reply?.data.reward;
    }),
  );
  expect(rewards).toEqual([1, 0, 1, 0]);
  expect(judge.requests).toBeGreaterThanOrEqual(2);
});

test.for([
  [undefined, "asks a judge"],
  [{ module: judgeModule }, "asks a judge"],
  [{ module: "data:text/javascript,export default 1" }, "does not export a judge"],
  [{ module: "file:///no-such-judge.js" }, "no-such-judge.js could not be loaded"],
] as const)("a server of processes does not start with the judge %j", async ([judge, message]) => {
  const starting = serve([{ module }], { port: 0, processes: 1, judge });
  await expect(starting).rejects.toSatisfy(isConfigError);
  await expect(starting).rejects.toThrow(message);
});
