/** A Python package as PyPI has it. */
export interface Wheel {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
}

/** Math-Verify and what it imports, pure Python. The order is that of `sys.path`. */
export const wheels: readonly Wheel[] = [
  wheel("math-verify", "0.9.0", "3703e7c4885354027fa84409d762a596a2906d1fd4deb78361876bd905a76194"),
  wheel(
    "latex2sympy2-extended",
    "1.11.0",
    "aebb77d52ce269e25028e4bea89ddb14d242ba36bcf7b636496fb5fd9728d234",
  ),
  wheel("sympy", "1.14.0", "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5"),
  wheel("mpmath", "1.3.0", "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c"),
  wheel(
    "antlr4-python3-runtime",
    "4.13.2",
    "fe3835eb8d33daece0e799090eda89719dbccee7aa39ef94eed3818cafa5a7e8",
  ),
];

function wheel(name: string, version: string, sha256: string): Wheel {
  return {
    name,
    version,
    file: `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`,
    sha256,
  };
}

/** The lines of a requirements file for pip, which checks the hashes. */
export const requirements: readonly string[] = wheels.map(
  ({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}`,
);
