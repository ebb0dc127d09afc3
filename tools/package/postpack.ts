import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT, KEPT, MANIFEST } from "./places.ts";

// npm runs this after it has packed: the checkout is again as it was.
renameSync(KEPT, MANIFEST);
rmSync(join(CHECKOUT, "dist"), { recursive: true });
