import { noteEnd } from "../session.ts";
import { CallError, type ErrorBody, OWN_HEADERS, toError } from "./ask.ts";
import type { InputOf, VerbName } from "./verb-types.ts";

/**
 * Saves what a verb answers with as a file, under the name that the service gives it. @throws CallError, also if the text
 * broke off: then there is no file
 */
export async function download<Name extends VerbName>(name: Name, input: InputOf<Name>): Promise<void> {
  const response = await fetch(`/api/${name.replaceAll(" ", "/")}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...OWN_HEADERS },
    body: JSON.stringify(input),
    cache: "no-store",
  }).catch(() => {
    throw new CallError("unreachable", "The service does not answer.");
  });
  if (!response.ok) {
    const value = (await response.json().catch(() => null)) as { readonly error?: ErrorBody } | null;
    const error = toError(response.status, value?.error);
    if (error.code === "unauthenticated") await noteEnd();
    throw error;
  }
  const text = await response.blob().catch(() => {
    throw new CallError("unreachable", "The file broke off before its end, so it was not saved. Try again.");
  });
  const [, fileName = "download"] = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  save(text, fileName);
}

function save(text: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(text);
  link.download = fileName;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
