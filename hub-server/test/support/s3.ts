import { randomBytes } from "node:crypto";

import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";

import { serviceUrl } from "./service.ts";

/** A bucket of a test's own on an S3-compatible server, and what a client needs to reach it. */
export interface TestBucket {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Makes an empty bucket; it is gone with the server, at the end of the run. */
export async function s3Bucket(): Promise<TestBucket> {
  const endpoint = await serviceUrl("s3");
  const bucket = `test-${randomBytes(6).toString("hex")}`;
  const region = "us-east-1";
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { endpoint, bucket, region, credentials };
}
