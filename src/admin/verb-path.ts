/** The path of a verb on the admin port: `credential price set` has `/api/credential/price/set`. */
export function verbPath(name: string): string {
  return `/api/${name.replaceAll(" ", "/")}`;
}
