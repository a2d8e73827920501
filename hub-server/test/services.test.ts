import { createHash, randomBytes } from "node:crypto";

import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import pg from "pg";
import { expect, test } from "vitest";

import { postgresDatabase } from "./support/postgres.ts";
import { s3Bucket } from "./support/s3.ts";

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test("isolates databases, which have the extensions of the hub", async () => {
  await using one = await postgresDatabase();
  await using other = await postgresDatabase();
  await query(one.url, "create table mine (id integer)");
  await query(one.url, "create extension pg_trgm");
  expect(await query(one.url, "select similarity('word', 'words') > 0.5 as alike")).toEqual([
    { alike: true },
  ]);
  await expect(query(other.url, "table mine")).rejects.toThrow(/does not exist/);
});

test("stores objects, and returns 404 for other keys", async () => {
  const { hostname: bucket, searchParams } = new URL(await s3Bucket());
  const endpoint = searchParams.get("endpoint")!;
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  const bytes = randomBytes(3_000_000);
  const object = { Bucket: bucket, Key: "sha512/ab/cdef" };
  const put = new PutObjectCommand({ ...object, Body: bytes });
  await client.send(put);
  const { Body } = await client.send(new GetObjectCommand(object));
  const read = await Body!.transformToByteArray();
  const hash = (data: Uint8Array): string => createHash("sha256").update(data).digest("hex");
  expect(hash(read)).toBe(hash(bytes));
  expect(await client.send(new HeadObjectCommand(object))).toMatchObject({
    ContentLength: 3_000_000,
  });
  const missing = new HeadObjectCommand({ ...object, Key: "other" });
  await expect(client.send(missing)).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
});
