import type { ModelPrice } from "@pydantic/genai-prices";

import { loadTable } from "./price-table.ts";
import type { TokenPrice } from "./token-price.ts";

/** A price with its source. */
export interface KnownPrice extends TokenPrice {
  /** Such as `genai-prices 0.1.8: openai/gpt-5-mini`. */
  readonly source: string;
}

/** The key of a price in the table. */
export interface PricedModel {
  /** The model's name on its server. */
  readonly name: string;
  /** The addresses of its servers. A model on a server of another address than its provider's has no known price. */
  readonly baseURLs: readonly string[];
  /** The date of the calls, because prices change. */
  readonly date: Date;
}

/**
 * Finds a model in the price table; `undefined` if no provider has that address, or if tokens alone do not determine the cost.
 * The table comes from the package genai-prices, or from the file in the variable `ENVS_PRICES`.
 */
export async function findPrice({
  name,
  baseURLs,
  date,
}: PricedModel): Promise<KnownPrice | undefined> {
  const file = process.env["ENVS_PRICES"] ?? "";
  // Loads genai-prices only for such addresses, which all of its providers have.
  if (file === "" && !baseURLs.every((url) => url.startsWith("https://"))) return undefined;
  const table = baseURLs.length === 0 ? undefined : await loadTable(file);
  if (table === undefined) return undefined;
  const providers = new Set(baseURLs.map((url) => table.providerAt(url)));
  const [provider] = providers;
  if (provider === undefined || providers.size > 1) return undefined;
  const found = table.find(provider, { name, date });
  const price = found && tokenPrice(found.prices);
  return price && { ...price, source: `${table.name}: ${found.provider.id}/${found.model}` };
}

/** The charges that are not by tokens, or by tokens that servers do not report. */
const otherCharges = ["requests_kcount", "input_text_messages_kcount", "output_reasoning_mtok"];

/** The prices of text. Of prices that rise with the length of a prompt, the first. */
function tokenPrice(prices: ModelPrice): TokenPrice | undefined {
  const base = (name: string): number | undefined => {
    const value = prices[name];
    return typeof value === "object" ? value.base : value;
  };
  // Models of embeddings have no price of replies.
  const [input, output = 0] = [base("input_mtok"), base("output_mtok")];
  if (input === undefined) return undefined;
  if (otherCharges.some((name) => base(name) !== undefined && base(name) !== output))
    return undefined;
  const [cacheRead, cacheWrite] = [base("cache_read_mtok"), base("cache_write_mtok")];
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}
