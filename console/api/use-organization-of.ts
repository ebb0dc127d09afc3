import { useEffect } from "preact/hooks";
import { setQuery } from "../address.ts";
import { useObjects } from "./use-names.ts";

/** Adds the organization to an address that only names an object of it. */
export function useOrganizationOf(id: string | null): void {
  const org = useObjects([id])?.get(id ?? "")?.organization_tuid;
  useEffect(() => {
    if (org) setQuery({ org });
  }, [org]);
}
