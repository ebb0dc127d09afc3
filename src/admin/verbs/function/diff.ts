import { versionVerbs } from "../../versions/version-verbs.ts";

export default versionVerbs("function").diff;
