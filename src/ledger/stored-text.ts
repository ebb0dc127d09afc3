/*
 * Ids can contain anything that a caller sends. Their stored form is accepted by SQLite, PostgreSQL (which refuses
 * NUL), CSV and terminals, and keeps different ids different: characters that cannot be shown, and the backslash,
 * become `\uXXXX`. Ordinary ids do not change.
 */
const UNSHOWABLE = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const EACH_UNSHOWABLE = new RegExp(UNSHOWABLE, "gu");

export function toStored(text: string): string {
  return UNSHOWABLE.test(text) ? text.replace(EACH_UNSHOWABLE, escapeUnits) : text;
}

function escapeUnits(character: string): string {
  let escaped = "";
  for (let at = 0; at < character.length; at += 1) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
