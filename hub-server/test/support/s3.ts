import { randomBytes } from "node:crypto";

import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";

import { serviceUrl } from "./service-url.ts";

/** The credentials of the run's S3 server. A hub in another process needs them in its environment. */
export const s3Variables = {
  AWS_ACCESS_KEY_ID: "S3RVER",
  AWS_SECRET_ACCESS_KEY: "S3RVER",
} as const;

/**
 * Creates an empty bucket and returns its URL in the form of `HUB_BLOBS`. The bucket exists until the end of the run. Sets
 * `s3Variables` in this process.
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
