export { harbor } from "./harbor.ts";
export type { HarborOptions } from "./harbor.ts";
