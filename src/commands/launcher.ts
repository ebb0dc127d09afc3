/** A service that the launcher started stops when the launcher asks it to, and when the launcher ends in any way. */
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
