import { randomBytes } from "node:crypto";

/** A name for a run's folder, such as `20260131-094500-1f2e`. Names sort by time, and runs that start together differ. */
export function newRunName(): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${randomBytes(2).toString("hex")}`;
}
