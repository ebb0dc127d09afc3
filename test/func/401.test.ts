import { testAccess } from "../rig/access-tests.ts";

testAccess("/func");
