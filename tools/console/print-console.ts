import { buildConsole } from "./build-console.ts";

// What a service in a checkout starts, so that nothing is bundled in the service itself.
process.stdout.write(JSON.stringify(await buildConsole()));
