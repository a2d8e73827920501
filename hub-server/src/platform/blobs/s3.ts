import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";

import { CommandError } from "../errors/hub-error.ts";
import { type BlobStore, checkKey, isKey } from "./blob-store.ts";

/** Blobs in an S3-compatible bucket: `s3://bucket/prefix?region=…&endpoint=…`. The AWS SDK resolves the credentials. */
export function s3Blobs(address: string): BlobStore {
  const { hostname: Bucket, pathname, searchParams } = new URL(address);
  const endpoint = searchParams.get("endpoint");
  const client = new S3Client({
    region: searchParams.get("region") ?? "us-east-1",
    // Checksums of streams need an encoding that not every store knows. The hub verifies each tarball by its key.
    requestChecksumCalculation: "WHEN_REQUIRED",
    // Self-hosted stores rarely have a host name for each bucket.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
  });
  const prefix = pathname
    .replace(/^\//, "")
    .replace(/\/?$/, (end) => (pathname.length > 1 ? end || "/" : end));
  const location = (key: string) => ({ Bucket, Key: `${prefix}${checkKey(key)}` });
  const has = (key: string): Promise<boolean> =>
    client.send(new HeadObjectCommand(location(key))).then(
      () => true,
      (error: unknown) => ifAbsent(error) ?? false,
    );
  return {
    has,
    async put(key, bytes) {
      // A race is harmless: the key is the content's hash, so both writers write the same bytes.
      if (!(await has(key)))
        await client.send(new PutObjectCommand({ ...location(key), Body: bytes }));
    },
    newFile: () => join(tmpdir(), `envs-${randomUUID()}`),
    async putFile(key, path) {
      if (!(await has(key))) {
        const { size: ContentLength } = await stat(path);
        const Body = createReadStream(path);
        await client.send(new PutObjectCommand({ ...location(key), Body, ContentLength }));
      }
      await rm(path);
    },
    async get(key) {
      const object = await client.send(new GetObjectCommand(location(key))).catch(ifAbsent);
      return await object?.Body?.transformToByteArray();
    },
    async stream(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const object = await client
        .send(new GetObjectCommand({ ...location(key), Range }))
        .catch(ifAbsent);
      return object?.Body instanceof Readable
        ? { size: object.ContentLength ?? 0, body: object.Body }
        : undefined;
    },
    delete: async (key) => void (await client.send(new DeleteObjectCommand(location(key)))),
    async quarantine(key) {
      const { Key } = location(key);
      const CopySource = encodeURI(`${Bucket}/${Key}`);
      const copy = { Bucket, Key: `${prefix}quarantine/${key}.corrupt`, CopySource };
      await client.send(new CopyObjectCommand(copy));
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    async *list() {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
        for (const { Key = "", Size: size = 0, LastModified: writtenAt } of page.Contents ?? []) {
          const key = Key.slice(prefix.length);
          if (isKey(key) && writtenAt !== undefined) yield { key, size, writtenAt };
        }
    },
    // S3 has no partial objects: an upload is visible only when it is complete.
    dropUnfinished: async () => ({ count: 0, bytes: 0 }),
    async check() {
      await client.send(new HeadBucketCommand({ Bucket })).catch((error: unknown) => {
        throw new CommandError(
          `Cannot use the bucket ${Bucket} of HUB_BLOBS: ${reasonOf(error)}. Create it, or correct HUB_BLOBS and the keys.`,
        );
      });
    },
  };
}

const reasons: Readonly<Record<number, string>> = {
  301: "it is in another region",
  403: "the store rejects the keys",
  404: "it does not exist",
};

/** The response to HeadBucket has no body, from which the SDK would take a reason. */
function reasonOf(error: unknown): string {
  return reasons[statusOf(error) ?? 0] ?? (error instanceof Error ? error.message : String(error));
}

function ifAbsent(error: unknown): undefined {
  if (statusOf(error) !== 404) throw error;
  return undefined;
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
