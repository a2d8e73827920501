import * as z from "zod";

/** The facts of a build in a provenance statement. The hub verified its signature when the version was published. */
export interface Provenance {
  readonly predicateType: string;
  /** The repository and the commit that were built. */
  readonly repository: string | undefined;
  readonly commit: string | undefined;
  /** The workflow's file in the repository. */
  readonly workflow: string | undefined;
  /** The page of the build. */
  readonly build: string | undefined;
  /** The program that built, such as GitHub's runner. */
  readonly builder: string | undefined;
  /** The index of the signature in the public transparency log. */
  readonly logIndex: string | undefined;
}

const text = z.string().max(2000).optional().catch(undefined);
const part = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape).optional().catch(undefined);

const envelope = z.object({
  dsseEnvelope: z.object({ payload: z.string() }),
  verificationMaterial: part({
    tlogEntries: z.array(z.object({ logIndex: z.coerce.string() })).catch([]),
  }),
});

const statement = z.object({
  predicate: part({
    buildDefinition: part({
      externalParameters: part({ workflow: part({ repository: text, path: text, ref: text }) }),
      resolvedDependencies: z
        .array(z.object({ uri: text, digest: part({ gitCommit: text }) }))
        .optional()
        .catch(undefined),
    }),
    runDetails: part({ builder: part({ id: text }), metadata: part({ invocationId: text }) }),
  }),
});

/** Reads a stored Sigstore bundle. Fields that the statement lacks are undefined. */
export function provenanceOf(predicateType: string, bundle: unknown): Provenance {
  const parsed = envelope.safeParse(bundle);
  const { predicate } = parsed.success ? payloadOf(parsed.data.dsseEnvelope.payload) : {};
  const { externalParameters, resolvedDependencies } = predicate?.buildDefinition ?? {};
  const [source] = resolvedDependencies ?? [];
  return {
    predicateType,
    repository: webAddress(externalParameters?.workflow?.repository),
    commit: source?.digest?.gitCommit,
    workflow: externalParameters?.workflow?.path,
    build: webAddress(predicate?.runDetails?.metadata?.invocationId),
    builder: predicate?.runDetails?.builder?.id,
    logIndex: parsed.data?.verificationMaterial?.tlogEntries[0]?.logIndex,
  };
}

function payloadOf(base64: string): z.infer<typeof statement> | Record<string, never> {
  try {
    return statement.parse(JSON.parse(Buffer.from(base64, "base64").toString("utf8")));
  } catch {
    return {};
  }
}

function webAddress(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url?.protocol === "https:" ? url.href : undefined;
}
