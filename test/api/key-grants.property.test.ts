import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, startApi, type Tree } from '../support/api-harness.ts';

/** A credential as this test knows it: the test compares effects, and no text. */
interface Held {
  secret: string;
  /** Absent: a token. */
  keyId?: string;
  grants: readonly string[];
  expiresAt: number;
  maker: Held | null;
  state: 'works' | 'revoked' | 'disabled';
  isReplaced: boolean;
}

interface Step {
  does: 'create' | 'rotate' | 'token' | 'workspace' | 'revoke' | 'disable' | 'wait';
  by: number;
  to: number;
  /** The grants that are asked for; `own`: some of the caller's, and one of the pool in nine. */
  picks: number[];
  own: boolean;
  seconds: number | null;
}

let api: Harness;
let trees: Tree[];
let pool: string[];
beforeAll(async () => {
  api = await startApi({ settings: { rateLimits: { '*': { limit: 1e6, windowMs: 60_000 } } } });
  // Limits of the workspace replace those of the operations.
  const rates = { '*': { limit: 1e6, windowMs: 60_000 } };
  await api.store.setWorkspaceLimits(api.workspaceId, { rates, domains: null });
  trees = [await api.createTree('one'), await api.createTree('two')];
  for (const [index, tree] of trees.entries()) await api.createDomain(tree, nameOf(index));
  const ids = ['*', ...trees.map(({ environmentId }) => environmentId), 'env_ghost'];
  pool = ids.flatMap((id) => ['read_domain', 'verify_domain'].map((action) => `environment.${id}.${action}`));
  pool.push('acme/environment#read_domain', 'acme/shop/environment#read_domain', 'environment/*#read_domain');
  pool.push('webhook.*.create_webhook', ...MAKING);
});
afterAll(() => api.close());

const MAKING = ['key.*.create_key', 'key.*.rotate_key', 'token.*.create_token', 'workspace.*.create_workspace'];
const NEVER = Number.MAX_SAFE_INTEGER;
const nameOf = (index: number) => `shop-${index}.example.com`;

/** The effects of a grant: on each resource that there is, on one that is not, and on all that will be. */
function effectsOf(grant: string): string[] {
  const [resource, id, action, ...rest] = grant.split('.');
  if (grant.includes('#') || rest.length > 0) return [grant];
  const ids = ['all', 'env_ghost', ...trees.map(({ environmentId }) => environmentId)];
  return (id === '*' ? ids : [id]).map((each) => `${resource} ${action} on ${each}`);
}

function includes(holder: readonly string[], wanted: readonly string[]): boolean {
  const effects = new Set(holder.flatMap(effectsOf));
  return wanted.flatMap(effectsOf).every((effect) => effects.has(effect));
}

function works(held: Held): boolean {
  const isMade = held.keyId !== undefined || held.maker === null || works(held.maker);
  return isMade && held.state === 'works' && held.expiresAt > api.clock.now();
}

const isKey = ({ keyId }: Held) => keyId !== undefined;

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.oneof(
    { arbitrary: fc.constantFrom('create' as const), weight: 8 },
    { arbitrary: fc.constantFrom('rotate' as const, 'token' as const), weight: 10 },
    { arbitrary: fc.constantFrom('workspace' as const, 'wait' as const), weight: 2 },
    { arbitrary: fc.constantFrom('revoke' as const, 'disable' as const), weight: 1 },
  ),
  by: fc.nat(),
  to: fc.nat(),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
  own: fc.boolean(),
  seconds: fc.option(fc.integer({ min: 1, max: 400 })),
});
const first = fc.uniqueArray(fc.nat({ max: 15 }), { maxLength: 10, size: 'max' });
const making = fc.oneof({ arbitrary: fc.constant(MAKING), weight: 3 }, { arbitrary: fc.subarray(MAKING), weight: 1 });

/** Carries out one step on the API and on the model, which have to agree about its success. */
async function take(held: Held[], { does, by, to, picks, own, seconds }: Step): Promise<void> {
  const [caller, target] = [held[by % held.length], held[to % held.length]] as [Held, Held];
  const wanted = picks.map((pick) => {
    const from = own && pick % 9 !== 0 && caller.grants.length > 0 ? caller.grants : pool;
    return from[pick % from.length] as string;
  });
  const now = api.clock.now();
  const call = async (operation: string, body: object, isExpected: boolean) => {
    const answer = await api.call(operation, body, { key: caller.secret });
    expect([operation, answer.status === 200, answer.body.error?.detail]).toEqual([
      operation,
      isExpected,
      isExpected ? undefined : expect.any(String),
    ]);
    return isExpected ? dataOf<{ keyId: string; key: string; token: string; expiresAt?: number }>(answer) : null;
  };
  const may = (grant: string) => works(caller) && isKey(caller) && includes(caller.grants, [grant]);
  const about = { state: 'works', isReplaced: false } as const;

  if (does === 'create') {
    const expiresAt = seconds === null ? undefined : now + seconds * 1000;
    const isExpected = may('key.*.create_key') && includes(caller.grants, wanted);
    const made = await call(
      'keys.createKey',
      { name: 'made', permissions: wanted, expiresAt },
      isExpected && (expiresAt ?? 0) <= caller.expiresAt,
    );
    if (made === null) return;
    expect(made.expiresAt ?? NEVER).toBe(expiresAt ?? caller.expiresAt);
    const { keyId, key: secret } = made;
    held.push({ ...about, keyId, secret, grants: wanted, expiresAt: made.expiresAt ?? NEVER, maker: caller });
  }
  if (does === 'rotate' && target.keyId !== undefined) {
    const isExpected = may('key.*.rotate_key') && works(target) && !target.isReplaced;
    const { grants, expiresAt } = target;
    const made = await call(
      'keys.rotateKey',
      { keyId: target.keyId, overlapSeconds: seconds ?? 0 },
      isExpected && includes(caller.grants, grants) && expiresAt <= caller.expiresAt,
    );
    if (made === null) return;
    target.isReplaced = true;
    target.expiresAt = Math.min(expiresAt, now + (seconds ?? 0) * 1000);
    held.push({ ...about, keyId: made.keyId, secret: made.key, grants, expiresAt, maker: caller });
  }
  if (does === 'token') {
    const permissions = own && seconds === null ? undefined : wanted;
    const grants = permissions ?? caller.grants;
    const expiresInSeconds = (by % 120) + 1;
    const isExpected = may('token.*.create_token') && includes(caller.grants, grants);
    const made = await call('tokens.createToken', { subject: 'ada', permissions, expiresInSeconds }, isExpected);
    if (made === null) return;
    const expiresAt = made.expiresAt ?? NEVER;
    expect(expiresAt).toBeLessThanOrEqual(Math.min(now + expiresInSeconds * 1000, caller.expiresAt));
    held.push({ ...about, secret: made.token, grants, expiresAt, maker: caller });
  }
  if (does === 'workspace') {
    const isExpected = may('workspace.*.create_workspace') && includes(caller.grants, wanted);
    const made = await call('workspaces.createWorkspace', { name: 'child', permissions: wanted }, isExpected);
    if (made !== null) expect(await reach(made.key)).toEqual([404, 404]);
  }
  if (does === 'revoke' && target.keyId !== undefined && target.state !== 'revoked') {
    await api.store.revokeRootKey(target.keyId);
    target.state = 'revoked';
  }
  if (does === 'disable' && target.keyId !== undefined && target.state === 'works') {
    await api.store.setRootKeyDisabled(target.keyId, now);
    target.state = 'disabled';
  }
  if (does === 'wait') api.clock.advance((seconds ?? 0) * 1000);
  await api.changes.poll();
}

/** The status of reading a domain in each environment. */
function reach(key: string): Promise<number[]> {
  const read = async (domain: string) => (await api.call('domains.getDomain', { domain }, { key })).status;
  return Promise.all(trees.map((_, index) => read(nameOf(index))));
}

describe("a key's children never exceed it", () => {
  it('over random grants, through chains of keys, rotations and tokens, with makers that expire, are disabled or revoked', async () => {
    let [made, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        first,
        making,
        fc.option(fc.integer({ min: 300, max: 3000 })),
        fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }),
        async (picks, own, life, steps) => {
          // Bad credentials of earlier runs count against the address for a minute.
          api.clock.advance(60_000);
          const grants = [...picks.map((pick) => pool[pick % pool.length] as string), ...own];
          const expiresAt = life === null ? null : api.clock.now() + life * 1000;
          const { key: secret, id: keyId } = await api.createKey({ permissions: grants, expiresAt });
          await api.changes.poll();
          const root: Held = {
            ...{ secret, keyId, grants, maker: null, state: 'works', isReplaced: false },
            expiresAt: expiresAt ?? NEVER,
          };
          const held = [root];
          for (const each of steps) {
            const before = held.length;
            await take(held, each);
            if (held.length > before) made += 1;
            else refused += 1;
          }
          for (const each of held) {
            // No descendant does more than the first key could, nor later.
            expect(includes(root.grants, each.grants)).toBe(true);
            if (each.keyId !== undefined && each !== root)
              expect(each.expiresAt).toBeLessThanOrEqual(expiresAt ?? NEVER);
            const statuses = trees.map(({ environmentId }) => {
              if (each.state === 'disabled' && each.expiresAt > api.clock.now()) return 403;
              if (!works(each)) return expect.toBeOneOf([401, 403]);
              return includes(each.grants, [`environment.${environmentId}.read_domain`]) ? 200 : 404;
            });
            expect(await reach(each.secret)).toEqual(statuses);
          }
        },
      ),
      { numRuns: 60 },
    );
    // The property is not true for want of children.
    expect(made).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  });
});
