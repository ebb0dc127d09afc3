import { LoadError } from "../../terms/load-error.ts";

/** A package of the setting `catalogs` that cannot be used, or is not as `datarun.lock` states. */
export class PackageError extends LoadError {}
