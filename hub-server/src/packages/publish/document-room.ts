import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { VerifiedPackage } from "./verify.ts";

/** Ten thousand versions with a package.json of some length. */
const most = 16 * 2 ** 20;

/** Refuses a version with which the document of its package, which clients read whole, would keep the hub and them busy. */
export async function requireDocumentRoom(
  database: Database,
  { packageId, verified }: { readonly packageId: number; readonly verified: VerifiedPackage },
): Promise<void> {
  const { sum } = await database
    .selectFrom("versions")
    .where("package_id", "=", packageId)
    .where("unpublished_at", "is", null)
    .select((row) => row.fn.sum<number | null>("manifest_bytes").as("sum"))
    .executeTakeFirstOrThrow();
  const bytes = sum ?? 0;
  const added = Buffer.byteLength(JSON.stringify(verified.manifest));
  if (bytes + added <= most) return;
  throw new HubError("package-full", {
    message: `The package.json files of the versions of ${verified.name} have ${bytes} bytes, which clients read at every installation; with ${added} more they would have more than ${most}. Make package.json shorter, or publish under another name.`,
  });
}
