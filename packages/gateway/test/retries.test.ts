import { assistantMessage, type Model } from "@envs/core";
import { startGateway } from "@envs/gateway";
import { expect, test } from "vitest";

const body = JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hello" }] });

/** A gateway whose model numbers its replies, and takes some time for each. */
async function slowSession(milliseconds: number) {
  let asked = 0;
  const model: Model = async ({ signal }) => {
    asked += 1;
    const reply = `Reply ${asked}`;
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    signal.throwIfAborted();
    return { message: assistantMessage(reply), finish: "stop" };
  };
  const gateway = await startGateway();
  const session = gateway.open({ model });
  const post = async (headers: Record<string, string> = {}, signal?: AbortSignal) => {
    const response = await fetch(`${session.baseURL}/chat/completions`, {
      method: "POST",
      headers,
      body,
      ...(signal && { signal }),
    });
    const reply = (await response.json()) as { choices: [{ message: { content: string } }] };
    return reply.choices[0].message.content;
  };
  return { session, post, [Symbol.asyncDispose]: gateway.close };
}

const retry = { "x-stainless-retry-count": "1" };

test("a retry joins the call that is running", async () => {
  await using gateway = await slowSession(50);
  const replies = await Promise.all([gateway.post(), gateway.post(retry)]);
  expect(replies).toEqual(["Reply 1", "Reply 1"]);
  expect(gateway.session.calls).toHaveLength(1);
});

test("a retry after the reply receives the same reply", async () => {
  await using gateway = await slowSession(1);
  expect(await gateway.post()).toBe("Reply 1");
  expect(await gateway.post(retry)).toBe("Reply 1");
  expect(gateway.session.calls).toHaveLength(1);
});

test("a request after a broken connection joins the call, without the header of a retry", async () => {
  await using gateway = await slowSession(200);
  await expect(gateway.post({}, AbortSignal.timeout(60))).rejects.toThrow("timeout");
  expect(await gateway.post()).toBe("Reply 1");
  expect(gateway.session.calls).toHaveLength(1);
});

test("equal requests of an agent that samples several replies are separate calls", async () => {
  await using gateway = await slowSession(20);
  const replies = await Promise.all([gateway.post(), gateway.post()]);
  expect(replies.toSorted()).toEqual(["Reply 1", "Reply 2"]);
  expect(await gateway.post()).toBe("Reply 3");
  expect(gateway.session.calls).toHaveLength(3);
});
