import { testBodies } from "../rig/body-tests.ts";

await testBodies("/data");
