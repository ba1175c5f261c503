import { expect, test } from 'vitest';
import { endure } from '../../crash/full.ts';
import { createRoom } from '../../crash/room.ts';

test('the disk full for a minute: clear errors, reads go on, nothing acknowledged is lost, and it recovers by itself', async () => {
  const room = await createRoom(24);
  try {
    const endured = await endure(room, 60_000);
    console.log(endured);
    expect(endured.refused).toBeGreaterThan(0);
  } finally {
    await room.close();
  }
});
