import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import { EnvironmentNames, type ServeContext, type ServedEnvironment } from "../context.ts";
import { ServeError } from "../errors.ts";
import type { EpisodeHost } from "../host/episode-host.ts";
import { assumedSplitSize, findSplit, type ServedSplit, type Task } from "../host/tasks.ts";
import { errorResponses } from "../http/openapi.ts";

const environmentParams = z.strictObject({
  environment: z.string().describe("Name of an environment"),
});
const split = z.string().describe("Name of a split");
const bound = z.int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).nullish();
const task = z.object({ split: z.string(), index: z.int(), id: z.string() });
const taskList = z.object({ tasks: z.array(task), env_name: z.string() });
const splitTypes = ["train", "validation", "test"] as const;

/** The tasks API of OpenEnv and ORS: for each environment by name, and for the first without a name. */
export function taskRoutes(app: FastifyInstance, { environments, first }: ServeContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["tasks"];
  const names = new EnvironmentNames(environments);
  const hostOf = (params: unknown): ServedEnvironment["host"] => {
    const { environment: name } = params as { environment?: string };
    return (name === undefined ? first : names.get(name)).host;
  };

  routes.get(
    "/list_environments",
    { schema: { tags, response: { 200: z.array(z.string()), ...errorResponses } } },
    () => [...environments.keys()],
  );

  for (const prefix of ["", "/:environment"]) {
    const schema = <Answer extends z.ZodType>(answer: Answer) => ({
      ...(prefix === "" ? {} : { params: environmentParams }),
      tags,
      response: { 200: answer, ...errorResponses },
    });

    routes.get(
      `${prefix}/splits`,
      {
        schema: schema(z.array(z.object({ name: z.string(), type: z.enum(splitTypes) }))),
      },
      ({ params: pathParams }) =>
        hostOf(pathParams).card.splits.map(({ name }) => ({
          name,
          type: splitTypes.find((type) => type === name) ?? "validation",
        })),
    );

    routes.post(
      `${prefix}/tasks`,
      { schema: { ...schema(taskList), body: z.strictObject({ split }) } },
      async ({ params: pathParams, body }) => {
        const host = hostOf(pathParams);
        const tasks = await listTasks(host, findSplit(host.card, body.split), {});
        return { tasks: [...tasks], env_name: host.card.name };
      },
    );

    routes.post(
      `${prefix}/num_tasks`,
      { schema: { ...schema(z.object({ num_tasks: z.int() })), body: z.strictObject({ split }) } },
      ({ params: pathParams, body }) => {
        const host = hostOf(pathParams);
        return { num_tasks: findSplit(host.card, body.split).size ?? assumedSplitSize };
      },
    );

    routes.post(
      `${prefix}/task`,
      {
        schema: {
          ...schema(z.object({ task, env_name: z.string() })),
          body: z.strictObject({ split, index: z.int() }),
        },
      },
      async ({ params: pathParams, body }) => {
        const host = hostOf(pathParams);
        return { task: await host.task(body), env_name: host.card.name };
      },
    );

    routes.post(
      `${prefix}/task_range`,
      {
        schema: { ...schema(taskList), body: z.strictObject({ split, start: bound, stop: bound }) },
      },
      async ({ params: pathParams, body }) => {
        const host = hostOf(pathParams);
        const tasks = await listTasks(host, findSplit(host.card, body.split), body);
        return { tasks: [...tasks], env_name: host.card.name };
      },
    );
  }
}

/** The maximum number of tasks in one response. */
const maxTasks = 10_000;

/** A range of tasks as a Python slice: negative indices count from the end, and indices outside are clamped. */
export interface TaskRange {
  readonly start?: number | null | undefined;
  readonly stop?: number | null | undefined;
}

/** The tasks of a range of a split. */
async function listTasks(
  host: EpisodeHost,
  { name, size }: ServedSplit,
  { start, stop }: TaskRange,
): Promise<readonly Task[]> {
  const count = size ?? assumedSplitSize;
  const clamp = (index: number): number =>
    Math.min(index < 0 ? Math.max(count + index, 0) : index, count);
  const [from, to] = [clamp(start ?? 0), clamp(stop ?? count)];
  if (to - from > maxTasks)
    throw new ServeError(
      "unknown-task",
      `The range has ${to - from} tasks. One response contains at most ${maxTasks}: request smaller ranges, or one task by its index.`,
    );
  const tasks: Task[] = [];
  for (let index = from; index < to; index += 1)
    tasks.push(await host.task({ split: name, index }));
  return tasks;
}
