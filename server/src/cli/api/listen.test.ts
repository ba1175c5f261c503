import { afterEach, expect, test, vi } from 'vitest';
import { eventPrinter } from './listen.ts';

afterEach(() => vi.restoreAllMocks());

/** Returns the lines that are printed for these bodies, one event each. */
function printed(
  options: Parameters<typeof eventPrinter>[0],
  wanted: string | undefined,
  ids: string[],
  data: object[],
) {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  const { onEvent } = eventPrinter(options, wanted);
  for (const [at, id] of ids.entries()) {
    const fields = { 'webhook-id': id, 'webhook-timestamp': '', 'webhook-signature': '' };
    onEvent({ path: '/', fields, body: JSON.stringify({ type: 'record.lost', data: data[at] }) });
  }
  vi.restoreAllMocks();
  return lines;
}

const lost = (domain: string, seen: string[] = []) => ({
  domain: { id: `dom_${domain}`, domain },
  record: 'ownership',
  seen,
});

test('an event is one line, and texts of a DNS zone cannot control the terminal', () => {
  for (const json of [undefined, true] as const) {
    const [line = '', ...others] = printed(
      json ? { json } : {},
      undefined,
      ['evt_1'],
      [lost('a.example', ['\u001b[2J\n\u202e'])],
    );
    expect(others).toEqual([]);
    expect(line.slice(0, -1)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(line).toContain('record.lost');
  }
});

test('a repeated event is marked as such', () => {
  const [first, again] = printed({}, undefined, ['evt_1', 'evt_1'], [lost('a.example'), lost('a.example')]);
  expect(first).not.toContain('(sent again)');
  expect(again).toContain('(sent again)');
});

test('only the events of the wanted domain are printed, by name or id', () => {
  for (const wanted of ['a.example', 'dom_a.example']) {
    const lines = printed({}, wanted, ['evt_1', 'evt_2'], [lost('a.example'), lost('b.a.example')]);
    expect(lines).toEqual([expect.stringContaining('  a.example  ')]);
  }
});
