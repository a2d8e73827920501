import * as z from "zod";

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** `["A=1", "B"]` or `{ A: 1 }`. */
const variables = z
  .union([
    z.array(z.string()).transform((lines) =>
      lines.map((line): [string, string | undefined] => {
        const at = line.indexOf("=");
        return at === -1 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)];
      }),
    ),
    z
      .record(z.string(), scalar.nullable())
      .transform((values) =>
        Object.entries(values).map(([name, value]): [string, string | undefined] => [
          name,
          value ?? undefined,
        ]),
      ),
  ])
  .default([]);
const command = z.union([z.string(), z.array(scalar)]).nullish();
const duration = z.union([z.string(), z.number()]).optional();

const healthcheck = z.looseObject({
  test: z.union([z.string(), z.array(z.string())]).optional(),
  interval: duration,
  timeout: duration,
  start_period: duration,
  start_interval: duration,
  retries: z.coerce.number().int().min(1).optional(),
  disable: z.boolean().default(false),
});

const volume = z.union([
  z.string(),
  z.looseObject({
    type: z.string().default("volume"),
    source: z.string().optional(),
    target: z.string(),
  }),
]);

const service = z
  .looseObject({
    image: z.string().optional(),
    build: z
      .union([
        z.string().transform((context) => ({ context, dockerfile: undefined })),
        z.looseObject({
          context: z.string().default("."),
          dockerfile: z.string().optional(),
        }),
      ])
      .optional(),
    command,
    entrypoint: command,
    environment: variables,
    env_file: z.union([z.string(), z.array(z.unknown())]).optional(),
    user: scalar.optional(),
    working_dir: z.string().optional(),
    healthcheck: healthcheck.optional(),
    depends_on: z
      .union([
        z
          .array(z.string())
          .transform((names) =>
            Object.fromEntries(names.map((name) => [name, { condition: "service_started" }])),
          ),
        z.record(z.string(), z.looseObject({ condition: z.string().default("service_started") })),
      ])
      .default({}),
    volumes: z.array(volume).default([]),
    ports: z.array(z.union([z.string(), z.number(), z.looseObject({})])).default([]),
    mem_limit: scalar.optional(),
    cpus: z.coerce.number().positive().optional(),
  })
  .nullable()
  .transform((value) => value ?? undefined);

/** A Compose file, as far as machines have its features. */
export const composeSchema = z.looseObject({ services: z.record(z.string(), service.optional()) });

export type ComposeFile = z.output<typeof composeSchema>;
export type ComposeService = NonNullable<ComposeFile["services"][string]>;
