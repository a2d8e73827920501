declare module "@20minutes/s3rver" {
  export default class S3rver {
    constructor(options: {
      readonly port: number;
      readonly address: string;
      readonly directory: string | undefined;
      readonly silent: boolean;
      readonly allowMismatchedSignatures: boolean;
    });
    run(): Promise<unknown>;
  }
}
