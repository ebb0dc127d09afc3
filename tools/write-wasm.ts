import { writeFileSync } from "node:fs";
import { BUILT, builtFile } from "./build-wasm.ts";

/** Writes the WebAssembly beside its source; a test fails when the file is not what the source says. */
writeFileSync(BUILT, await builtFile());
