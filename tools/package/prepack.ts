import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { buildPackage } from "./build-package.ts";
import { CHECKOUT, KEPT, MANIFEST } from "./places.ts";
import { manifestOfPackage, type Manifest } from "./manifest.ts";

// npm runs this before it packs, and `postpack.ts` afterwards. In between, package.json is the package's own: npm cannot
// pack another one than it finds. If it is interrupted then, the original is in `package.checkout.json`.
await buildPackage(CHECKOUT);
copyFileSync(MANIFEST, KEPT);
const manifest = manifestOfPackage(JSON.parse(readFileSync(KEPT, "utf8")) as Manifest);
writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
