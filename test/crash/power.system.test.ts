import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { cutPower, record, tooSoon } from './power.ts';
import { findStrace } from './strace.ts';

test('a change is acknowledged once it is synced, and outlives a power cut from then on', async ({ skip }) => {
  let strace: string[] = [];
  try {
    strace = findStrace();
  } catch (error) {
    skip(String(error));
  }
  const recording = await record(strace, { clients: 3, domains: 3 });
  try {
    expect(tooSoon(recording)).toEqual([]);
    const { lost, looks } = await cutPower(recording, 15, seeded(chooseSeed()));
    console.log({ acknowledged: recording.acknowledged.length, cuts: 15, looks });
    expect(lost).toEqual([]);
  } finally {
    await recording.close();
  }
}, 120_000);
