import { expect, it, vi } from 'vitest';
import type { KeyUse } from '../store/store.ts';
import { createKeyUses, KEY_USE_MS } from './key-uses.ts';
import type { Principal } from './root-key-cache.ts';

const START = 1_800_000_000_000;

function open() {
  const clock = {
    at: START,
    now() {
      return this.at;
    },
  };
  const saved: KeyUse[][] = [];
  const store = { saveKeyUses: vi.fn(async (uses: readonly KeyUse[]) => void saved.push([...uses])) };
  const log = { warn: vi.fn() };
  const uses = createKeyUses({ store, clock, log, flushMs: 3_600_000 });
  return { uses, clock, saved, store, log };
}

function principal(actor: string, kind: Principal['kind'] = 'root_key'): Principal {
  return { kind, actor, workspaceId: 'ws_1', grants: new Set(), limits: { rates: {}, domains: null } };
}

it('saves the uses of all keys in one write, and of each key one an hour, however many its requests', async () => {
  const { uses, clock, saved } = open();
  for (let i = 0; i < 1000; i++) for (const id of ['key_1', 'key_2']) uses.note(principal(id));
  await uses.flush();
  expect(saved).toEqual([['key_1', 'key_2'].map((keyId) => ({ keyId, at: START }))]);
  clock.at += KEY_USE_MS - 1;
  uses.note(principal('key_1'));
  await uses.flush();
  expect(saved).toHaveLength(1);
  clock.at += 1;
  uses.note(principal('key_1'));
  await uses.flush();
  expect(saved.at(-1)).toEqual([{ keyId: 'key_1', at: START + KEY_USE_MS }]);
  await uses.stop();
  expect(saved).toHaveLength(2);
});

it('saves when it stops, and logs a failure', async () => {
  const { uses, saved } = open();
  uses.note(principal('key_1'));
  await uses.stop();
  expect(saved).toEqual([[{ keyId: 'key_1', at: START }]]);
  const failing = open();
  failing.store.saveKeyUses.mockRejectedValue(new Error('down'));
  failing.uses.note(principal('key_1'));
  await failing.uses.stop();
  expect(failing.log.warn).toHaveBeenCalledOnce();
});

it('keeps unsaved uses for the next time', async () => {
  const { uses, saved, store } = open();
  store.saveKeyUses.mockRejectedValueOnce(new Error('down'));
  uses.note(principal('key_1'));
  await expect(uses.flush()).rejects.toThrow('down');
  uses.note(principal('key_2'));
  await uses.flush();
  expect(saved).toEqual([['key_1', 'key_2'].map((keyId) => ({ keyId, at: START }))]);
  await uses.stop();
});

it('notes neither tokens nor sessions', async () => {
  const { uses, saved } = open();
  uses.note(principal('ada', 'dashboard_token'));
  uses.note(principal('link_1', 'setup_link'));
  await uses.stop();
  expect(saved).toEqual([]);
});
