/** Whether a JSON text is nested at most this deep. Reads the text once and builds nothing. */
export function depthWithin(json: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      for (at += 1; json.charCodeAt(at) !== 0x22 && at < json.length; at += 1)
        if (json.charCodeAt(at) === 0x5c) at += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return false;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return true;
}
