import { randomBytes } from "node:crypto";

import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";

import { serviceUrl } from "./service.ts";

/** What the test's S3-compatible server takes as keys; a hub in another process needs them in its variables. */
export const s3Variables = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" } as const;

/**
 * Makes an empty bucket and returns its address, as the setting `HUB_BLOBS` has it; it is gone with the server, at the end
 * of the run. Sets the variables in which the AWS SDK looks for keys.
 */
export async function s3Bucket(): Promise<string> {
  const endpoint = await serviceUrl("s3");
  Object.assign(process.env, s3Variables);
  const bucket = `test-${randomBytes(6).toString("hex")}`;
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return `s3://${bucket}?${new URLSearchParams({ endpoint })}`;
}
