/** The path of a verb on the admin port: that of `credential price set` is `/api/credential/price/set`. */
export function verbPath(name: string): string {
  return `/api/${name.replaceAll(" ", "/")}`;
}
