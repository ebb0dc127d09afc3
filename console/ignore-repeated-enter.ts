/**
 * Ignores repeated Enter events of a key that is held down. The first may move the focus, for example by opening a
 * dialog, and the next would press the newly focused button. In a text area the key still inserts lines.
 */
export function ignoreRepeatedEnter(): void {
  const ignore = (event: KeyboardEvent): void => {
    if (!event.repeat || event.key !== "Enter") return;
    if (event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", ignore, { capture: true });
}
