import { describe, expect, it } from 'vitest';
import { type Change, StoreUnavailable } from '../store/contract/store.ts';
import { createKnown, type KnownOptions } from './stale-cache.ts';

interface Thing {
  text: string;
}

/** A store of things that can be stopped, and told when to answer. */
function setUp(options: Partial<KnownOptions<Thing>> = {}) {
  const stored = new Map<string, string>();
  const held: (() => void)[] = [];
  const forgetting: ((change: Change | null) => void)[] = [];
  let now = 0;
  const control = { stored, reads: 0, failure: null as Error | null, holds: false };
  const known = createKnown<Thing>({
    async read(name) {
      control.reads += 1;
      const text = stored.get(name);
      if (control.holds) await new Promise<void>((resolve) => held.push(resolve));
      if (control.failure !== null) throw control.failure;
      return text === undefined ? null : { text };
    },
    concerns: ({ kind, key }) => (kind === 'route' ? key : undefined),
    news: { onChange: (forget) => void forgetting.push(forget) },
    clock: { now: () => now },
    capacity: 100,
    patienceMs: 1,
    deadlineMs: 1,
    ...options,
  });
  return {
    control,
    known,
    advance(ms: number) {
      now += ms;
    },
    change(key: string | null) {
      for (const forget of forgetting) forget(key === null ? null : { seq: 1, kind: 'route', key });
    },
    release() {
      control.holds = false;
      for (const resolve of held.splice(0)) resolve();
    },
  };
}

const away = new StoreUnavailable('away');

describe('what the edge knows', () => {
  it('is asked for once, whether there is something or not, however many want to know', async () => {
    const { known, control } = setUp();
    control.stored.set('a', 'one');
    const wanted = ['a', 'a', 'b', 'b', 'a'];
    expect(await Promise.all(wanted.map(known.find))).toEqual([
      { text: 'one' },
      { text: 'one' },
      null,
      null,
      { text: 'one' },
    ]);
    expect(control.reads).toBe(2);
    expect([known.remembered('a'), known.remembered('b'), known.remembered('c')]).toEqual([
      { text: 'one' },
      null,
      undefined,
    ]);
    expect([known.isKnown('a'), known.isKnown('b')]).toEqual([true, false]);
  });

  it('is asked for anew once it has changed, or anything may have', async () => {
    const { known, control, change } = setUp();
    control.stored.set('a', 'one');
    await known.find('a');
    await known.find('b');
    control.stored.set('a', 'two').set('b', 'new');
    change('a');
    expect(await known.find('a')).toEqual({ text: 'two' });
    expect(await known.find('b')).toBeNull();
    change(null);
    expect(await known.find('b')).toEqual({ text: 'new' });
    control.stored.delete('b');
    change('b');
    expect(await known.find('b')).toBeNull();
    expect(known.isKnown('b')).toBe(false);
  });

  it('is not remembered when it was read before a change and arrives after it', async () => {
    for (const changed of ['a', null]) {
      const { known, control, change, release } = setUp({ deadlineMs: 5000 });
      control.stored.set('a', 'one');
      control.holds = true;
      const first = known.find('a');
      control.stored.set('a', 'two');
      change(changed);
      const second = known.find('a');
      release();
      expect(await first).toEqual({ text: 'one' });
      expect(await second).toEqual({ text: 'two' });
      expect(known.remembered('a')).toEqual({ text: 'two' });
      expect(control.reads).toBe(2);
    }
  });

  it('is believed while the store is away or hangs, also once it may have changed', async () => {
    const { known, control, change, advance } = setUp();
    control.stored.set('a', 'one');
    await known.find('a');
    control.failure = away;
    advance(600_000);
    expect(known.remembered('a')).toEqual({ text: 'one' });
    change(null);
    expect(await known.find('a')).toEqual({ text: 'one' });
    change('a');
    expect(await known.find('a')).toEqual({ text: 'one' });
    advance(2000);
    control.holds = true;
    expect(await known.find('a')).toEqual({ text: 'one' });
    await expect(known.find('b')).rejects.toThrow(StoreUnavailable);
  });

  it('is put right as soon as the store answers', async () => {
    const { known, control, change, advance } = setUp();
    control.stored.set('a', 'one');
    await known.find('a');
    control.failure = away;
    change('a');
    expect(await known.find('a')).toEqual({ text: 'one' });
    control.failure = null;
    control.stored.delete('a');
    advance(1000);
    expect(await known.find('a')).toBeNull();
  });
});

describe('a store that is away', () => {
  it('is asked by one in a second, whatever is wanted of it', async () => {
    const { known, control, advance } = setUp();
    control.failure = away;
    for (let second = 1; second <= 5; second += 1) {
      for (let i = 0; i < 20; i += 1) await expect(known.find(`name${i}`)).rejects.toThrow(StoreUnavailable);
      expect(control.reads).toBe(second);
      advance(1000);
    }
    control.failure = null;
    for (let i = 0; i < 20; i += 1) expect(await known.find(`name${i}`)).toBeNull();
  });

  it('is not what fails when a single thing cannot be read', async () => {
    const { known, control } = setUp();
    control.failure = new Error('sealed under another key');
    await expect(known.find('a')).rejects.toThrow('sealed');
    control.failure = null;
    expect(await known.find('b')).toBeNull();
  });

  it('is asked for no more than so many names at once', async () => {
    const { known, control, release } = setUp({ atOnce: 3, deadlineMs: 5000 });
    control.holds = true;
    const asked = ['a', 'b', 'c'].map(known.find);
    await expect(known.find('d')).rejects.toThrow(StoreUnavailable);
    release();
    expect(await Promise.all(asked)).toEqual([null, null, null]);
    expect(await known.find('d')).toBeNull();
  });

  it('keeps only the first who asks for a known name waiting', async () => {
    const { known, control, change } = setUp();
    control.stored.set('a', 'one');
    await known.find('a');
    control.holds = true;
    change('a');
    expect(await known.find('a')).toEqual({ text: 'one' });
    for (let i = 0; i < 10; i += 1) {
      const waited = new Promise((resolve) => setImmediate(resolve, 'waited'));
      expect(await Promise.race([known.find('a'), waited])).toEqual({ text: 'one' });
    }
    expect(control.reads).toBe(2);
  });
});

describe('memory', () => {
  it('stays bounded, and invented names drive out none that there are', async () => {
    const { known, control } = setUp({ capacity: 10, emptyCapacity: 50 });
    for (let i = 0; i < 5; i += 1) {
      control.stored.set(`real${i}`, 'x');
      await known.find(`real${i}`);
    }
    for (let i = 0; i < 10_000; i += 1) await known.find(`invented${i}`);
    const before = control.reads;
    for (let i = 0; i < 5; i += 1) await known.find(`real${i}`);
    expect(control.reads).toBe(before);
    for (let i = 0; i < 1000; i += 1) {
      control.stored.set(`more${i}`, 'x');
      await known.find(`more${i}`);
    }
    expect(known.size()).toBeLessThanOrEqual(10);
  });

  it('keeps a thing that was read anew and is the same, so that what was made of it stays good', async () => {
    const { known, control, change } = setUp({ same: (before, after) => before.text === after.text });
    control.stored.set('a', 'one');
    const first = await known.find('a');
    change('a');
    expect(await known.find('a')).toBe(first);
    control.stored.set('a', 'two');
    change('a');
    expect(await known.find('a')).toEqual({ text: 'two' });
  });
});
