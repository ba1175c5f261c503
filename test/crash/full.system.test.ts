import { expect, test } from 'vitest';
import { endure } from './full.ts';
import { createRoom } from './room.ts';

test('a full disk: clear errors, reads go on, nothing acknowledged is lost, and it recovers by itself', async ({
  skip,
}) => {
  // Where nothing can be mounted, the store alone is tried, with a limit of pages: test/store/writer.test.ts.
  const room = await createRoom(24).catch((error: unknown) => skip(String(error)));
  try {
    const endured = await endure(room, 1000);
    console.log(endured);
    expect(endured.refused).toBeGreaterThan(0);
  } finally {
    await room.close();
  }
}, 120_000);
