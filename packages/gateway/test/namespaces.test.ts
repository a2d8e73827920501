import { callTools } from "@envs/core";
import { expect, test } from "vitest";

import { testSession } from "./support/session.ts";

const functionTool = (name: string) => ({ type: "function", name, parameters: { type: "object" } });
const tools = [
  functionTool("exec"),
  { type: "web_search" },
  { type: "namespace", name: "wiki", tools: [functionTool("search"), functionTool("exec")] },
];

test("offers the functions of namespaces, and calls them by their namespace", async () => {
  await using gateway = await testSession([
    callTools([
      ["search", { query: "Rome" }],
      ["wiki__exec", {}],
      ["exec", {}],
    ]),
  ]);
  const post = async (input: unknown) => {
    const response = await fetch(`${gateway.session.baseURL}/responses`, {
      method: "POST",
      body: JSON.stringify({ model: "any", input, tools }),
    });
    return (await response.json()) as { output: readonly Record<string, string>[] };
  };
  const { output } = await post("Hello");
  expect(gateway.requests[0]?.tools?.map(({ name }) => name)).toEqual([
    "exec",
    "search",
    "wiki__exec",
  ]);
  expect(output.map(({ namespace, name }) => [namespace, name])).toEqual([
    ["wiki", "search"],
    ["wiki", "exec"],
    [undefined, "exec"],
  ]);

  await post(
    output.map(({ type, call_id, name, namespace, arguments: input }) => ({
      type,
      call_id,
      name,
      namespace,
      arguments: input,
    })),
  );
  expect(gateway.requests[1]?.messages[0]).toMatchObject({
    tool_calls: [
      { function: { name: "search" } },
      { function: { name: "wiki__exec" } },
      { function: { name: "exec" } },
    ],
  });
});
