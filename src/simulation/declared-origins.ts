/** Whether an origin is among those a source declares; `https://*.x` stands for every host below x. */
export function isDeclaredOrigin(origin: string, declared: readonly string[]): boolean {
  return declared.some((pattern) => {
    const [scheme, below] = pattern.split("//*");
    if (below === undefined) return URL.parse(pattern)?.origin === origin;
    return origin.startsWith(`${scheme}//`) && origin.endsWith(below) && !origin.endsWith(`//${below.slice(1)}`);
  });
}
