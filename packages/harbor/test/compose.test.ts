import { join } from "node:path";

import { expect, test } from "vitest";

import { readCompose } from "../src/compose/compose.ts";
import { written } from "./written.ts";

async function compose(yaml: string, host: Readonly<Record<string, string>> = {}) {
  const folder = await written({
    "docker-compose.yaml": yaml,
    "seed.sql": "",
    "api/Dockerfile": "",
  });
  return { folder, ...readCompose(folder, host)! };
}

test("reads services with their builds, variables, checks, volumes and files", async () => {
  const { folder, main, services, problems } = await compose(
    `services:
  main:
    build: { context: "\${CONTEXT_DIR}" }
    command: ["sh", "-c", "sleep infinity"]
    depends_on: { api: { condition: service_healthy }, seed: { condition: service_completed_successfully } }
    volumes: ["\${HOST_VERIFIER_LOGS_PATH}:/logs/verifier", "data:/data"]
  api:
    build: ./api
    environment: ["KEY=\${KEY}", "MODEL=\${MODEL:-small}", "HOST_NAME"]
    expose: ["8000"]
    ports: ["8000"]
    command: serve --name "two words" 'a b' c\\ d $$HOME
    depends_on: [seed]
    healthcheck: { test: ["CMD", "true"], interval: 1m30s, timeout: 5s, retries: 2 }
  seed:
    image: postgres:17
    user: 70
    volumes: ["data:/data", "./seed.sql:/seed.sql:ro", { type: volume, source: data, target: /d }]
volumes: { data: }
`,
    { KEY: "secret", HOST_NAME: "here" },
  );
  expect(problems).toEqual([]);
  expect(main).toMatchObject({
    image: { folder },
    after: { api: "healthy", seed: "completed" },
    volumes: { "/data": "data" },
  });
  expect(services).toMatchObject({
    api: {
      image: { folder: join(folder, "api") },
      env: { KEY: "secret", MODEL: "small", HOST_NAME: "here" },
      command: ["serve", "--name", "two words", "a b", "c d", "$HOME"],
      after: { seed: "started" },
      healthCheck: { command: ["true"], intervalMs: 90_000, timeoutMs: 5_000, retries: 3 },
    },
    seed: {
      image: { name: "postgres:17" },
      user: "70",
      volumes: { "/data": "data", "/d": "data" },
      files: { "/seed.sql": join(folder, "seed.sql") },
    },
  });
});

test.each([
  ["x: { image: a, network_mode: host }", "network of another place"],
  ["x: { image: a, devices: ['/dev/kvm'] }", "devices of this computer"],
  ["x: { image: a, cap_add: [SYS_ADMIN] }", "more rights"],
  ["x: { image: a, volumes: ['../../etc:/x'] }", "mounts ../../etc"],
  ["x: { image: a, volumes: ['~/.ssh:/x'] }", "mounts ~/.ssh"],
  ["x: { image: a, volumes: ['./no:/x'] }", "does not exist"],
  ["x: { build: ../.. }", "not a folder of the environment"],
  ["x: { environment: {} }", "neither an image nor a build"],
  ["x: { image: a, depends_on: { y: { condition: never } } }", "never is not a condition"],
  ["x: { image: a, healthcheck: { test: a, interval: soon } }", '"soon" is not a duration'],
  ["x: { image: a, networks: [a, b] }", "several networks"],
])("names what no machine gives: %s", async (service, problem) => {
  const { problems } = await compose(`services: { ${service} }`);
  expect(problems.join("\n")).toContain(problem);
});

test("rejects a file that is not a Compose file, with its path", async () => {
  await expect(compose("services: [")).rejects.toThrow(/Cannot read .*docker-compose.yaml/);
  await expect(compose("services: { x: 3 }")).rejects.toThrow(/docker-compose.yaml is not/);
});
