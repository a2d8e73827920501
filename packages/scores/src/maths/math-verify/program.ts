import { wheels } from "./wheels.ts";

/** Where the wheels are in Pyodide's file system. Python imports from them without unpacking. */
export const wheelFolder = "/wheels";

/**
 * Defines `same`. The comparisons at the end load modules that sympy imports late, so that the snapshot has them. No module that
 * reaches JavaScript can be imported afterwards.
 */
export const program: string = `
import logging, sys
logging.disable(logging.CRITICAL)
sys.path[:0] = ${JSON.stringify(wheels.map(({ file }) => `${wheelFolder}/${file}`))}
from math_verify import parse, verify

def boxed(text):
    return parse("\\\\boxed{" + text + "}", parsing_timeout=None)

def same(answer, reference):
    try:
        return bool(verify(boxed(reference), boxed(answer), timeout_seconds=None))
    except Exception:
        return False

for answer, reference in ${JSON.stringify([
  ["0.5", "1/2"],
  ["x^2+1", "1+x^2"],
  ["\\sqrt{8}", "2\\sqrt{2}"],
  ["\\{1,2\\}", "2,3"],
  ["(1,2)", "[1,2]"],
  ["1<x<2", "(1,2)"],
  ["x=1", "y=2"],
  ["\\sin(x)", "\\cos(x)"],
  ["\\begin{pmatrix}1\\\\2\\end{pmatrix}", "\\begin{pmatrix}1\\\\3\\end{pmatrix}"],
])}:
    same(answer, reference)
for name in ("js", "pyodide_js"):
    sys.modules[name] = None
`;
