import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { ServeContext, Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import { failures } from "../http-failures.ts";
import { quoted } from "../quoted.ts";
import { listTasks, splitOf, uncounted } from "./task-list.ts";

const environment = z.strictObject({ environment: z.string().describe("Name of an environment") });
const split = z.string().describe("Name of a split");
const place = z.int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).nullish();
const task = z.object({ split: z.string(), index: z.int(), id: z.string() });
const listed = z.object({ tasks: z.array(task), env_name: z.string() });
const types = ["train", "validation", "test"] as const;

/** What examples there are, for OpenEnv and ORS: for each environment by name, and for the first without one. */
export function taskRoutes(app: FastifyInstance, { environments, first }: ServeContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["tasks"];
  const byName = new Map([...environments].map(([name, each]) => [name.toLowerCase(), each]));
  const find = (params: unknown): Served => {
    const { environment: name } = params as { environment?: string };
    const found = name === undefined ? first : byName.get(name.toLowerCase());
    if (found !== undefined) return found;
    throw new ServeError(
      "unknown-environment",
      `There is no environment named ${quoted(name)} here. There is: ${[...environments.keys()].join(", ")}.`,
    );
  };

  routes.get(
    "/list_environments",
    { schema: { tags, response: { 200: z.array(z.string()), ...failures } } },
    () => [...environments.keys()],
  );

  for (const prefix of ["", "/:environment"]) {
    const params = prefix === "" ? {} : { params: environment };

    routes.get(
      `${prefix}/splits`,
      {
        schema: {
          ...params,
          tags,
          response: {
            200: z.array(z.object({ name: z.string(), type: z.enum(types) })),
            ...failures,
          },
        },
      },
      ({ params: named }) =>
        find(named).host.card.splits.map(({ name }) => ({
          name,
          type: types.find((type) => type === name) ?? "validation",
        })),
    );

    routes.post(
      `${prefix}/tasks`,
      {
        schema: {
          ...params,
          tags,
          body: z.strictObject({ split }),
          response: { 200: listed, ...failures },
        },
      },
      async ({ params: named, body }) => {
        const { host } = find(named);
        const tasks = await listTasks(host, splitOf(host, body.split), {});
        return { tasks: [...tasks], env_name: host.card.name };
      },
    );

    routes.post(
      `${prefix}/num_tasks`,
      {
        schema: {
          ...params,
          tags,
          body: z.strictObject({ split }),
          response: { 200: z.object({ num_tasks: z.int() }), ...failures },
        },
      },
      ({ params: named, body }) => {
        const { host } = find(named);
        return { num_tasks: splitOf(host, body.split).size ?? uncounted };
      },
    );

    routes.post(
      `${prefix}/task`,
      {
        schema: {
          ...params,
          tags,
          body: z.strictObject({ split, index: z.int() }),
          response: { 200: z.object({ task, env_name: z.string() }), ...failures },
        },
      },
      async ({ params: named, body }) => {
        const { host } = find(named);
        splitOf(host, body.split);
        return { task: await host.task(body), env_name: host.card.name };
      },
    );

    routes.post(
      `${prefix}/task_range`,
      {
        schema: {
          ...params,
          tags,
          body: z.strictObject({ split, start: place, stop: place }),
          response: { 200: listed, ...failures },
        },
      },
      async ({ params: named, body }) => {
        const { host } = find(named);
        const tasks = await listTasks(host, splitOf(host, body.split), body);
        return { tasks: [...tasks], env_name: host.card.name };
      },
    );
  }
}
