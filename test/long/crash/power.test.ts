import { expect, test } from 'vitest';
import { cutPower, record, tooSoon } from '../../crash/power.ts';
import { findStrace } from '../../crash/strace.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

test('200 power cuts: every change was synced before it was acknowledged, and is there afterwards', async () => {
  const recording = await record(findStrace(), { clients: 12, domains: 60 });
  try {
    expect(tooSoon(recording)).toEqual([]);
    const { lost, looks } = await cutPower(recording, 200, seeded(chooseSeed()));
    console.log({ acknowledged: recording.acknowledged.length, cuts: 200, looks });
    expect(lost).toEqual([]);
  } finally {
    await recording.close();
  }
});
