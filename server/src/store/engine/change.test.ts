import { describe, expect, it } from 'vitest';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome } from './change.ts';
import type { Transaction } from './statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET, write } from './write.ts';

async function renameThing(_: Transaction, id: string): Promise<'renamed' | 'missing'> {
  return id === '' ? 'missing' : 'renamed';
}

const whole = {
  perform: renameThing,
  locks: NO_LOCKS,
  audit: {
    targets: (_: Transaction, id: string) => [{ workspaceId: null, target: id }],
    isMade: isOutcome('renamed'),
  },
  secret: NO_SECRET,
  invalidates: NO_DOMAINS,
};

// The compiler checks these (`npm run check`): a line below that compiles is an unused @ts-expect-error, which fails.
describe('the compiler refuses', () => {
  it('nothing of a change that states all', () => {
    expect(defineChange(whole).name).toBe('renameThing');
  });

  it('a change without invalidation does not compile', () => {
    const { invalidates: _, ...rest } = whole;
    // @ts-expect-error
    expect(defineChange(rest).name).toBe('renameThing');
    const { audit, ...role } = rest;
    // @ts-expect-error
    expect(write(role).name).toBe('renameThing');
  });

  it('a change without an audit entry does not compile, nor one without its targets or outcome', () => {
    const { audit, ...rest } = whole;
    // @ts-expect-error
    expect(defineChange(rest).name).toBe('renameThing');
    // @ts-expect-error
    expect(defineChange({ ...rest, audit: { isMade: audit.isMade } }).name).toBe('renameThing');
    // @ts-expect-error
    expect(defineChange({ ...rest, audit: { targets: audit.targets } }).name).toBe('renameThing');
  });

  it('a change without locks does not compile', () => {
    const { locks: _, ...rest } = whole;
    // @ts-expect-error
    expect(defineChange(rest).name).toBe('renameThing');
  });

  it('a change that does not say what it seals does not compile', () => {
    const { secret: _, ...rest } = whole;
    // @ts-expect-error
    expect(defineChange(rest).name).toBe('renameThing');
  });
});

it('a write that changes a domain which it does not invalidate fails', () => {
  const logged: unknown[] = [];
  const tx = { domains: ['dom_1'], now: 1, write: (...call: unknown[]) => logged.push(call) } as unknown as Transaction;
  logChange(tx, 'domain', 'dom_1');
  expect(logged).toHaveLength(1);
  expect(() => logChange(tx, 'domain', 'dom_2')).toThrow('dom_2');
  expect(logged).toHaveLength(1);
});
