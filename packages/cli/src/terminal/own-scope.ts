/** The npm scope of this repository's packages. `tooling/src/rename-scope.ts` changes it, together with every import. */
export const ownScope = "@envs";
