import type * as z from "zod";

import type { Example } from "../dataset/example.ts";
import { frozenCopy } from "../json.ts";
import { checkDefinition } from "./check-definition.ts";
import { parseConfig } from "./config.ts";
import type {
  AnyDefinition,
  Environment,
  EnvironmentDefinition,
  EnvironmentFactory,
  NoState,
} from "./environment.ts";

/**
 * Defines an environment and returns its factory. TypeScript infers from top to bottom: write `config`, `dataset`, `setup`,
 * `seats`, `tools`, `respond`, `game`, `episode`, `rubric`, `metrics` in this order.
 */
export function defineEnvironment<
  E extends Example,
  Name extends string,
  Schema extends z.ZodObject = z.ZodObject<Record<never, z.ZodType>>,
  Inputs extends Readonly<Record<string, z.ZodObject>> = Readonly<Record<never, z.ZodObject>>,
  State = NoState,
  MetricName extends string = never,
  Seat extends string = never,
>(
  definition: EnvironmentDefinition<Schema, E, State, Inputs, Name, MetricName, Seat>,
): EnvironmentFactory<Schema, E, State, Name | MetricName, Seat> {
  const erased = definition as unknown as AnyDefinition;
  checkDefinition(erased);
  const create = (input?: z.input<Schema>): Environment<E, State, Name | MetricName, Seat> => ({
    name: definition.name,
    config: frozenCopy(parseConfig(definition.name, definition.config, input ?? {})),
    definition: erased,
  });
  return Object.assign(create, { definition: erased });
}
