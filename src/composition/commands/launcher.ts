/**
 * Listens to the launcher that started this service. Calls `asked` when the launcher requests a stop, and `gone` when
 * the launcher has ended.
 */
export function listenToLauncher(asked: () => void, gone: () => void): void {
  const fd = Number(process.env["DATARUN_LIFELINE_FD"]);
  delete process.env["DATARUN_LIFELINE_FD"];
  if (!Number.isInteger(fd) || fd < 3) return;
  void import("node:net").then(({ Socket }) => {
    const line = new Socket({ fd, readable: true, writable: false });
    line.on("data", (text) => text.toString().split("\n").slice(1).forEach(asked));
    line.on("close", gone).on("error", () => {});
    line.resume().unref();
  });
}
