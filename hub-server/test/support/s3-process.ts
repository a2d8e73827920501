// The process of an S3-compatible server: node s3-process.ts <port> <folder>
import S3rver from "@20minutes/s3rver";

const [port, directory] = process.argv.slice(2);
const server = new S3rver({
  port: Number(port),
  address: "127.0.0.1",
  directory,
  silent: true,
  // The server computes other signatures than the AWS SDK for requests of whole buckets.
  allowMismatchedSignatures: true,
});
await server.run();
process.stdout.write("listening\n");
