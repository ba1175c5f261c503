import { expect, test } from 'vitest';
import { createThrough } from '../../crash/once.ts';
import { startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';

const KILLS = 50;

test(`${KILLS} times kill -9: whoever repeats a creation until there is a response has created exactly once`, async () => {
  const tried = await createThrough(KILLS, seeded(chooseSeed()));
  console.log(tried);
  expect(tried.kills).toBe(KILLS);
});

test(`${KILLS} times kill -9 of a node on PostgreSQL: the same`, async () => {
  const postgres = await startPostgres();
  try {
    const tried = await createThrough(KILLS, seeded(chooseSeed()), postgres);
    console.log(tried);
    expect(tried.kills).toBe(KILLS);
  } finally {
    await postgres.close();
  }
});
