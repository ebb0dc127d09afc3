import { versionVerbs } from "../../versions/version-verbs.ts";

export default versionVerbs("source").versions;
