import assert from "node:assert/strict";
import test from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { Availability } from "../availability.ts";
import { JournalSize } from "./journal-size.ts";

const GIB = 1024 ** 3;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

function makeSize(configured: number) {
  const clock = new FakeClock();
  const availability = new Availability(quiet, () => {});
  availability.clear("starting");
  return { clock, availability, size: new JournalSize(configured, availability, quiet, clock, () => {}) };
}

test("without a configured size the journal may use the whole disk, less a reserve", () => {
  const { availability, size } = makeSize(0);
  size.measured({ bytes: 2 * GIB, diskFreeBytes: 30 * GIB, diskBytes: 100 * GIB });
  assert.equal(size.bytesMax, 31 * GIB);
  size.measured({ bytes: 2 * GIB, diskFreeBytes: 0.9 * GIB, diskBytes: 100 * GIB });
  assert.match(availability.reason ?? "", /size/);
  size.measured({ bytes: 2 * GIB, diskFreeBytes: 5 * GIB, diskBytes: 100 * GIB });
  assert.equal(availability.reason, null);
});

test("how long the journal will last is known after ten minutes, from how it has grown", async () => {
  const { clock, size } = makeSize(4 * GIB);
  const disk = { diskFreeBytes: 30 * GIB, diskBytes: 100 * GIB };
  size.measured({ bytes: GIB, ...disk });
  assert.equal(size.daysLeft, null);
  await clock.advance(12 * 60 * 60 * 1_000);
  size.measured({ bytes: 1.5 * GIB, ...disk });
  assert.equal(size.daysLeft, 2.5);
  await clock.advance(24 * 60 * 60 * 1_000);
  size.measured({ bytes: 1.5 * GIB, ...disk });
  assert.equal(size.daysLeft, null, "it has not grown for a day");
});
