export { findPrice } from "./find-price.ts";
export type { KnownPrice, PricedModel } from "./find-price.ts";
