import { Readable } from "node:stream";

import { S3Client } from "@aws-sdk/client-s3";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
} from "@aws-sdk/client-s3";

import { type BlobStore, checkKey, isKey } from "./blob-store.ts";

/** Blobs in an S3-compatible bucket: `s3://bucket/prefix?region=…&endpoint=…`; credentials as the AWS SDK finds them. */
export function s3Blobs(address: string): BlobStore {
  const { hostname: Bucket, pathname, searchParams } = new URL(address);
  const endpoint = searchParams.get("endpoint");
  const client = new S3Client({
    region: searchParams.get("region") ?? "us-east-1",
    // A store at an address of its own rarely has a host name for each bucket.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
  });
  const prefix = pathname
    .replace(/^\//, "")
    .replace(/\/?$/, (end) => (pathname.length > 1 ? end || "/" : end));
  const place = (key: string) => ({ Bucket, Key: `${prefix}${checkKey(key)}` });
  const has = (key: string): Promise<boolean> =>
    client.send(new HeadObjectCommand(place(key))).then(
      () => true,
      (error: unknown) => ifAbsent(error) ?? false,
    );
  return {
    has,
    async put(key, bytes) {
      // The key is the content's hash: writing it twice writes the same.
      if (!(await has(key)))
        await client.send(new PutObjectCommand({ ...place(key), Body: bytes }));
    },
    async get(key) {
      const found = await client.send(new GetObjectCommand(place(key))).catch(ifAbsent);
      return await found?.Body?.transformToByteArray();
    },
    async stream(key) {
      const found = await client.send(new GetObjectCommand(place(key))).catch(ifAbsent);
      return found?.Body instanceof Readable
        ? { size: found.ContentLength ?? 0, body: found.Body }
        : undefined;
    },
    delete: async (key) => void (await client.send(new DeleteObjectCommand(place(key)))),
    async *list() {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
        for (const { Key = "", Size: size = 0, LastModified: writtenAt } of page.Contents ?? []) {
          const key = Key.slice(prefix.length);
          if (isKey(key) && writtenAt !== undefined) yield { key, size, writtenAt };
        }
    },
    // An object is there when it is whole.
    dropUnfinished: async () => ({ count: 0, bytes: 0 }),
    check: async () => void (await client.send(new HeadBucketCommand({ Bucket }))),
  };
}

function ifAbsent(error: unknown): undefined {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  if (status !== 404) throw error;
  return undefined;
}
