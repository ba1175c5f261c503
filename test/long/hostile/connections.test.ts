import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { drip, hold } from '../../hostile/holders.ts';
import { startVictim } from '../../hostile/server.ts';

const MB = 1024 * 1024;

/** Longer than a header may take, and the longest that a whole request may. */
const PATIENCE_MS = 45_000;

test('10,000 connections that are silent, half open or slow: good requests are answered, then all are closed, memory returns', async () => {
  const victim = await startVictim();
  await (async () => {
    for (const socket of await hold(victim, 10_000)) socket.destroy();
  })();
  for (let i = 0; i < 200; i += 1) expect(await victim.ask()).toBe(404);
  const before = await victim.memory();

  const sockets = await hold(victim, 10_000);
  const until = Date.now() + PATIENCE_MS;
  const isHeld = () => sockets.some((socket) => !socket.closed);
  let answered = 0;
  while (isHeld() && Date.now() < until) {
    drip(sockets);
    expect(await victim.ask()).toBe(404);
    answered += 1;
    await delay(20);
  }
  expect(isHeld()).toBe(false);
  const after = await victim.memory();
  console.log(JSON.stringify({ answered, beforeMb: Math.round(before / MB), afterMb: Math.round(after / MB) }));
  expect(after - before).toBeLessThan(150 * MB);
  await victim.close();
});
