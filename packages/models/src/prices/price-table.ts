import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type * as genaiPrices from "@pydantic/genai-prices";
import type { ModelPrice, Provider } from "@pydantic/genai-prices";
import * as z from "zod";

/** A model of the table, with its prices at a date. */
interface Entry {
  readonly provider: Provider;
  readonly model: string;
  readonly prices: ModelPrice;
}

/** The prices of many models. */
export interface PriceTable {
  /** The name of the table with its version, for records. */
  readonly name: string;
  providerAt(url: string): Provider | undefined;
  find(
    provider: Provider,
    model: { readonly name: string; readonly date: Date },
  ): Entry | undefined;
}

type GenaiPrices = Pick<typeof genaiPrices, "calcPrice" | "findProvider">;

/** Loads the table of genai-prices, or the one in a file of its format. Returns `undefined` for `off`. */
export async function loadTable(file: string): Promise<PriceTable | undefined> {
  if (file === "off") return undefined;
  // Imported only when needed: it is half a megabyte.
  const library = await import("@pydantic/genai-prices");
  return file === "" ? await bundledTable(library) : await fileTable(library, file);
}

async function bundledTable({ calcPrice, findProvider }: GenaiPrices): Promise<PriceTable> {
  const path = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  const manifest = await readFile(join(dirname(path), "../package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return {
    name: `genai-prices ${version}`,
    providerAt: (url) => findProvider({ providerApiUrl: url }),
    find(provider, { name, date }) {
      const result = calcPrice({}, name, { providerId: provider.id, timestamp: date });
      return result === null
        ? undefined
        : { provider, model: result.model.id, prices: result.model_price };
    },
  };
}

/** The fields that we read; the library reads the others. */
const schema = z.array(
  z.looseObject({
    id: z.string(),
    api_pattern: z.string(),
    fallback_model_providers: z.array(z.string()).optional(),
    models: z.array(
      z.looseObject({
        id: z.string(),
        match: z.looseObject({}),
        prices: z.union([z.array(z.looseObject({})), z.looseObject({})]),
      }),
    ),
  }),
);

async function fileTable({ calcPrice }: GenaiPrices, file: string): Promise<PriceTable> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ConfigError(
      `Cannot read the prices in ${file}: ${messageOf(error)}. Set ENVS_PRICES to a file of prices, or to off.`,
    );
  });
  const providers = providersIn(text, file);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return {
    name: `${basename(file)} (sha256 ${hash})`,
    providerAt: (url) =>
      providers.find(({ api_pattern: pattern }) => new RegExp(`^(?:${pattern})`).test(url)),
    find(provider, { name, date: timestamp }) {
      const others = provider.fallback_model_providers ?? [];
      const sources = [provider, ...providers.filter(({ id }) => others.includes(id))];
      for (const source of sources) {
        // Removes fallbacks, which the library would search in its own table.
        const own = { ...source, fallback_model_providers: [] };
        const result = calcPrice({}, name, { provider: own, timestamp });
        if (result !== null)
          return { provider, model: result.model.id, prices: result.model_price };
      }
      return undefined;
    },
  };
}

function providersIn(text: string, file: string): readonly Provider[] {
  let problem: string;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    // Evaluates the table once, because the library validates conditions and matches only when it reads them.
    if (parsed.success) return parsed.data as unknown as readonly Provider[];
    problem = z.prettifyError(parsed.error);
  } catch (error) {
    problem = messageOf(error);
  }
  throw new ConfigError(
    `${file} has no prices in the format of genai-prices:\n${problem}\nENVS_PRICES names this file. Remove the variable to use the prices of the package.`,
  );
}
