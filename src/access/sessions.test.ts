import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';
import { type Change, StoreUnavailable } from '../store/contract/store.ts';
import type { Standing } from './authenticate.ts';
import { createRootKey, hashRootKey } from './root-key.ts';
import type { Principal } from './root-key-cache.ts';
import { createSessions, type Sessions } from './sessions.ts';

const { key } = createRootKey(randomBytes);
const HEADER = `Bearer ${key}`;
const TOKEN = 'Bearer a.b.c';
const principal: Principal = {
  kind: 'root_key',
  workspaceId: 'ws_1',
  actor: 'key_1',
  grants: new Set<string>(),
  limits: { rates: {}, domains: null },
};

let now: number;
let checks: string[];
let result: () => Promise<Standing>;
let tell: (change: Change | null) => void;
let sessions: Sessions;
beforeEach(() => {
  now = 0;
  checks = [];
  result = async () => ({ ok: true, principal, expiresAt: null });
  sessions = createSessions({
    clock: { now: () => now },
    changes: {
      isFresh: () => true,
      subscribe(listener) {
        tell = listener;
      },
    },
    check(header) {
      checks.push(header);
      return result();
    },
  });
});

const refused = { ok: false, code: 'authorization/key_disabled' } as const;
const change = (kind: Change['kind'], changed: string) => tell({ seq: 1, kind, key: changed });

it('a credential is checked once for all who use it, and they hear the result', async () => {
  const onCheck = vi.fn();
  const opened = [await sessions.open(HEADER, principal, onCheck), await sessions.open(HEADER, principal, onCheck)];
  expect(checks).toHaveLength(1);
  result = async () => refused;
  change('root_key', hashRootKey(key));
  await vi.waitUntil(() => onCheck.mock.calls.length === 2);
  expect(checks).toHaveLength(2);
  for (const { standing } of opened) expect(standing()).toEqual(refused);
  for (const { close } of opened) close();
});

it('it is checked again for changes that concern it, and for no others', async () => {
  await sessions.open(HEADER, principal, () => {});
  await sessions.open(TOKEN, principal, () => {});
  const checkedAfter = async (tellChange: () => void) => {
    checks = [];
    tellChange();
    await new Promise((resolve) => setImmediate(resolve));
    return checks;
  };
  expect(await checkedAfter(() => change('root_key', hashRootKey(key)))).toEqual([HEADER]);
  expect(await checkedAfter(() => change('root_key', 'another'))).toEqual([]);
  expect(await checkedAfter(() => change('signing_key', 'sig_1'))).toEqual([TOKEN]);
  expect(await checkedAfter(() => change('workspace', 'ws_1'))).toEqual([HEADER, TOKEN]);
  expect(await checkedAfter(() => change('workspace', 'ws_2'))).toEqual([]);
  expect(await checkedAfter(() => change('domain', 'dom_1'))).toEqual([]);
  expect(await checkedAfter(() => tell(null))).toEqual([HEADER, TOKEN]);
});

it('it is checked again when it expires', async () => {
  result = async () => (now < 1000 ? { ok: true, principal, expiresAt: 1000 } : refused);
  const { promise, resolve } = Promise.withResolvers<void>();
  const { standing } = await sessions.open(HEADER, principal, resolve);
  now = 1000;
  await promise;
  expect(standing()).toEqual(refused);
});

it('a check that fails is repeated until it does not', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { standing } = await sessions.open(HEADER, principal, resolve);
  let isDown = true;
  result = () => (isDown ? Promise.reject(new StoreUnavailable('down')) : Promise.resolve(refused));
  tell(null);
  await vi.waitUntil(() => checks.length === 3);
  isDown = false;
  await promise;
  expect(standing()).toEqual(refused);
});

it('a change during a check leads to one more', async () => {
  const onCheck = vi.fn();
  const { standing } = await sessions.open(HEADER, principal, onCheck);
  const { promise, resolve } = Promise.withResolvers<Standing>();
  result = () => promise;
  tell(null);
  result = async () => refused;
  tell(null);
  resolve({ ok: true, principal, expiresAt: null });
  await vi.waitUntil(() => onCheck.mock.calls.length === 2);
  expect(standing()).toEqual(refused);
});

it('nothing is checked for nobody', async () => {
  const { close } = await sessions.open(HEADER, principal, () => {});
  close();
  tell(null);
  expect(checks).toHaveLength(1);
});
