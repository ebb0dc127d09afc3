import { useEffect } from "preact/hooks";
import { setQuery } from "../address.ts";
import { useObjects } from "./use-names.ts";

/** For an address that names something of an organization, and not the organization: this is added to it. */
export function useOrganizationOf(id: string | null): void {
  const org = useObjects([id])?.get(id ?? "")?.organization_tuid;
  useEffect(() => {
    if (org) setQuery({ org });
  }, [org]);
}
