import { testAccess } from "../rig/access-tests.ts";

await testAccess("/data");
