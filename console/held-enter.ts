/**
 * An Enter that is held acts once. What it does may move the focus, as a window does that opens or closes, and its
 * repetitions would press whatever has the focus then. In a field of several lines it goes on making lines.
 */
export function ignoreHeldEnter(): void {
  const ignore = (event: KeyboardEvent): void => {
    if (!event.repeat || event.key !== "Enter") return;
    if (event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", ignore, { capture: true });
}
