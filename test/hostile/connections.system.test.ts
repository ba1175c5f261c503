import { afterAll, beforeAll, expect, test } from 'vitest';
import { drip, hold } from './holders.ts';
import { startVictim, type Victim } from './server.ts';

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterAll(() => victim.close());

test('200 connections that are silent, half open or slow keep no good request from its response', async () => {
  const sockets = await hold(victim, 200);
  for (let i = 0; i < 50; i += 1) {
    drip(sockets);
    expect(await victim.ask()).toBe(404);
  }
  for (const socket of sockets) socket.destroy();
});
