import { testBodies } from "../rig/body-tests.ts";

testBodies("/data");
