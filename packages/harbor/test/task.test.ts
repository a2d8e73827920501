import { join } from "node:path";

import { expect, test } from "vitest";

import { findTasks } from "../src/task/find-tasks.ts";
import { withHostVariables } from "../src/task/host-variables.ts";
import { obstaclesOf } from "../src/task/obstacles.ts";
import { verifierOf } from "../src/trial/grade.ts";
import { networkOf } from "../src/trial/machine-options.ts";
import { written } from "./written.ts";

const task = {
  "task.toml": 'version = "1.0"\n[environment]\nmemory = "2G"\nallow_internet = false\n',
  "instruction.md": "Write 5 to /app/sum.txt.",
  "environment/Dockerfile": "FROM debian:bookworm-slim\n",
  "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
};

const below = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [join(folder, path), content]));

test("reads the tasks below a folder in the order of their paths, with old names of schema 1.0", async () => {
  const folder = await written({ ...below("set/b", task), ...below("set/a", task) });
  const tasks = findTasks(folder);
  expect(tasks.map(({ name }) => name)).toEqual(["a", "b"]);
  const [{ config, steps }] = tasks as [(typeof tasks)[0]];
  expect(config.environment).toMatchObject({ memory_mb: 2048, build_timeout_sec: 600 });
  expect(networkOf(config.environment)).toBe("none");
  expect(steps).toMatchObject([{ name: undefined, instruction: "Write 5 to /app/sum.txt." }]);
  expect(tasks.flatMap(obstaclesOf)).toEqual([]);
});

test("the tests of a step are those of the task, with its own over them", async () => {
  const folder = await written({
    ...task,
    "task.toml": '[verifier]\ntimeout_sec = 30\n[[steps]]\nname = "first"\nmin_reward = 0.5\n',
    "steps/first/instruction.md": "Begin.",
    "steps/first/tests/more.sh": "",
    "steps/first/workdir/setup.sh": "",
  });
  const [read] = findTasks(folder);
  expect(verifierOf(read!, read!.steps[0]!)).toMatchObject({ timeout_sec: 30 });
  expect(read).toMatchObject({
    config: { steps: [{ min_reward: 0.5 }], multi_step_reward_strategy: "mean" },
    steps: [
      {
        name: "first",
        instruction: "Begin.",
        tests: [join(folder, "tests"), join(folder, "steps/first/tests")],
        workdir: join(folder, "steps/first/workdir"),
      },
    ],
  });
});

test.each([
  ["a mistake of TOML", { ...task, "task.toml": "version = " }, "task.toml"],
  ["a step outside", { ...task, "task.toml": '[[steps]]\nname = "../x"' }, "steps"],
  ["an artifact outside", { ...task, "task.toml": 'artifacts = ["/a/../b"]' }, "no .."],
  [
    "a URL as a host",
    { ...task, "task.toml": '[agent]\nallowed_hosts = ["http://a.example"]' },
    "host name",
  ],
  ["no instruction", { ...task, "instruction.md": undefined }, "instruction.md"],
  ["no tests", { ...task, "tests/test.sh": undefined }, "test.sh"],
  ["no task", { "README.md": "" }, "contains no task"],
])("rejects %s, and names it", async (_, files, problem) => {
  const entries = Object.entries(files).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const folder = await written(Object.fromEntries(entries));
  expect(() => findTasks(folder)).toThrow(problem);
});

test("names what a machine cannot give", async () => {
  const toml = '[environment]\nos = "windows"\ngpus = 2\n[[environment.mcp_servers]]\nname = "a"';
  const compose = {
    ...task,
    "environment/docker-compose.yaml":
      "services: { db: { image: postgres, privileged: true, ports: ['80:80'], volumes: ['/var/run:/x'] } }",
  };
  const tasks = findTasks(
    await written({
      ...below("a", { ...task, "task.toml": toml }),
      ...below("b", compose),
      ...below("c", task),
    }),
  );
  expect(tasks.map(obstaclesOf)).toEqual([
    ["it needs Windows", "it needs a GPU", "its MCP server a has neither url nor command"],
    [
      "db asks for rights over this computer (privileged)",
      "db publishes the port 80:80 on this computer (ports)",
      "db: it mounts /var/run of this computer (volumes)",
    ],
    [],
  ]);
});

test("variables of this machine replace ${NAME}, and a missing one is named", () => {
  const host = { TOKEN: "secret" };
  expect(withHostVariables({ A: "${TOKEN}", B: "x-${OTHER:-none}" }, host, "t")).toEqual({
    A: "secret",
    B: "x-none",
  });
  expect(() => withHostVariables({ A: "${MISSING}" }, host, "tasks/a")).toThrow(
    /tasks\/a .*MISSING/u,
  );
});
