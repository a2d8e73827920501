import { expect, test } from "vitest";

import { nextCommands } from "../../src/init/next-commands.ts";

test.for([
  [undefined, "npm install", "npm run check", "npx --no envs"],
  ["npm/11.4.0 node/v24.0.0 linux x64", "npm install", "npm run check", "npx --no envs"],
  ["pnpm/12.1.0 npm/? node/v24.0.0", "pnpm install", "pnpm run check", "pnpm exec envs"],
  ["yarn/4.9.0 npm/? node/v24.0.0", "yarn install", "yarn run check", "yarn run envs"],
  ["bun/1.3.0 npm/? node/v24.0.0", "bun install", "bun run check", "bun run envs"],
  ["other/1", "npm install", "npm run check", "npx --no envs"],
] as const)("writes the commands for %j", ([userAgent, install, check, envs]) => {
  expect(nextCommands(userAgent, false)).toMatchObject({ install, check, envs });
});

test("writes pnpm's commands in a clone, whose workspace needs it", () => {
  expect(nextCommands("npm/11", true)).toMatchObject({
    install: "npx -y pnpm@12 install",
    envs: "npx -y pnpm@12 exec envs",
  });
});
