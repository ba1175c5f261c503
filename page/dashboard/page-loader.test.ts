import { describe, expect, it } from 'vitest';
import type { Page } from '../../client/client.ts';
import { type Loading, pageLoader } from './page-loader.ts';

const PAGE = 100;

/** A loader of a list, with a clock that is set, until it has nothing more to do. */
function loading(list: string[], { lookedAt = Number.POSITIVE_INFINITY } = {}) {
  const asked: (string | undefined)[] = [];
  const clock = { now: 1000 };
  let failure: Error | undefined;
  let last: Loading<string> = { pages: [], isLoading: true, error: undefined };
  let idle = () => {};
  const load = async (cursor: string | undefined): Promise<Page<string>> => {
    asked.push(cursor);
    if (failure !== undefined) throw failure;
    const from = cursor === undefined ? 0 : list.findIndex((each) => each > cursor);
    const items = from < 0 ? [] : list.slice(from, from + Math.min(PAGE, lookedAt));
    const end = items.at(-1);
    return { items, cursor: end === undefined || end === list.at(-1) ? undefined : end };
  };
  const loader = pageLoader<string>(
    load,
    (changed) => {
      last = changed;
      if (!changed.isLoading) idle();
    },
    () => clock.now,
  );
  const settle = (act: () => void) =>
    new Promise<void>((resolve) => {
      idle = resolve;
      act();
    });
  return {
    loader,
    asked,
    clock,
    list,
    settle,
    state: () => last,
    fail: (error?: Error) => {
      failure = error;
    },
  };
}

const NAMES = Array.from({ length: 1000 }, (_, at) => String(at).padStart(4, '0'));
const rowsOf = ({ pages }: Loading<string>) => pages.flatMap(({ rows }) => rows);

describe('the pages of a list', () => {
  it('are loaded as far as they are looked at, and a little ahead', async () => {
    const { loader, settle, state, asked } = loading([...NAMES]);
    await settle(() => loader.pump());
    expect(rowsOf(state())).toEqual(NAMES.slice(0, 300));
    await settle(() => loader.look(250, 290));
    expect(rowsOf(state())).toEqual(NAMES.slice(0, 500));
    expect(asked).toHaveLength(5);
  });

  it('are loaded again when they are in view, and only then', async () => {
    const { loader, settle, state, clock, list, asked } = loading([...NAMES]);
    await settle(() => loader.look(120, 140));
    clock.now += 10_000;
    list[130] = '0129x';
    list[10] = '0009x';
    const before = asked.length;
    await settle(() => loader.pump());
    expect(asked.slice(before)).toEqual(['0099']);
    expect(rowsOf(state())[130]).toBe('0129x');
    expect(rowsOf(state())[10]).toBe('0010');
  });

  it('show no row twice and miss none after one was added above', async () => {
    const { loader, settle, state, clock, list } = loading([...NAMES]);
    await settle(() => loader.look(0, 190));
    list.splice(5, 0, '0004x');
    clock.now += 10_000;
    await settle(() => loader.pump());
    expect(rowsOf(state()).slice(0, 200)).toEqual(list.slice(0, 200));
  });

  it('stay as they are while the server cannot be reached, and go on when it can', async () => {
    const { loader, settle, state, clock, fail } = loading([...NAMES]);
    await settle(() => loader.pump());
    fail(new Error('lost'));
    clock.now += 10_000;
    await settle(() => loader.pump());
    expect(state()).toMatchObject({ error: { message: 'lost' } });
    expect(rowsOf(state())).toHaveLength(300);
    fail();
    await settle(() => loader.reload());
    expect(state().error).toBeUndefined();
  });

  it('are loaded again when the list was empty', async () => {
    const { loader, settle, state, clock, list } = loading([]);
    await settle(() => loader.pump());
    list.push('new');
    clock.now += 10_000;
    await settle(() => loader.pump());
    expect(rowsOf(state())).toEqual(['new']);
  });
});
