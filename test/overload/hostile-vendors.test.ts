import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Behaviour, body, head } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";

const MIB = 1024 * 1024;
const CHUNKED = head(200, { "content-type": "application/json", "transfer-encoding": "chunked" });

/** Ten times five megabytes and more on the wire, in the pieces that cost the most to keep. */
function pieces(piece: string, times: number): Behaviour {
  return (socket) => {
    let left = times;
    const more = (): void => {
      while (!socket.destroyed && left > 0) {
        left -= 1;
        if (!socket.write(piece)) return;
      }
      if (left === 0) socket.write("0\r\n\r\n");
    };
    socket.on("drain", more);
    socket.write(CHUNKED);
    more();
  };
}

const bomb = gzipSync(Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(200 * MIB, 0x78), Buffer.from('"}')]));

test("replies made to cost memory cost a process with a small heap neither its life nor a sibling's answer", async (t) => {
  const vendor = await startVendor(t, {
    paths: {
      "/bytes": pieces("1\r\n \r\n".repeat(10_000), 300),
      "/extensions": pieces(`1;${"x".repeat(65_000)}\r\n \r\n`, 1_000),
      "/bomb": body(bomb, { headers: { "content-encoding": "gzip" } }),
    },
  });
  const names = { bytes: "/bytes", extensions: "/extensions", bomb: "/bomb", sibling: "/json" };
  const deployment = await deploy(t, {
    project: vendorProject(t, vendor, names),
    env: { NODE_OPTIONS: "--max-old-space-size=256" },
  });
  const service = await deployment.start();
  await service.run({ acme__sibling: true });
  const before = peakRss(service.pid);

  const runs = await Promise.all(
    Array.from({ length: 10 }, () =>
      service.run({ acme__bytes: true, acme__extensions: true, acme__bomb: true, acme__sibling: true }),
    ),
  );

  for (const reply of runs) {
    assert.equal(reply.statusCode, 200);
    const { outputs, status } = reply.json();
    assert.equal(outputs["acme__sibling"].name, "Ada");
    for (const name of ["bytes", "extensions", "bomb"]) assert.equal(status[`acme__${name}`].success, false, name);
  }
  assert.equal((await service.run({ acme__sibling: true })).json().outputs["acme__sibling"].name, "Ada");
  const grown = peakRss(service.pid) - before;
  // Forty replies at once; in pieces kept as they came, one alone took it all.
  assert.ok(grown < 400 * MIB, `${Math.round(grown / MIB)} MiB more`);
});

function peakRss(pid: number): number {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Number(kib) * 1024;
}
