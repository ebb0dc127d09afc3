/** What the service says it holds in memory for its callers. */
export async function heldBytes({ adminUrl }: { readonly adminUrl: string }): Promise<number> {
  const page = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^datarun_held_bytes (\S+)$/m.exec(page)![1]);
}
