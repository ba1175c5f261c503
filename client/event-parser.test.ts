import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventParser } from './event-parser.ts';

const parse = (...texts: string[]) => {
  const take = eventParser();
  return texts.flatMap(take);
};
const event = (data: string, about: object = {}) => ({
  event: 'message',
  data,
  id: undefined,
  retryMs: undefined,
  ...about,
});

// The examples are those of the HTML standard, section 9.2.6.
it.each([
  ['data: YHOO\ndata: +2\ndata: 10\n\n', [event('YHOO\n+2\n10')]],
  [
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
    [event('first event', { id: '1' }), event('second event', { id: '' }), event(' third event', { id: '' })],
  ],
  ['data\n\ndata\ndata\n\ndata:', [event(''), event('\n')]],
  ['data:test\n\ndata: test\n\n', [event('test'), event('test')]],
  ['retry: 1000\n\nevent: end\ndata: {}\n\n', [event('{}', { event: 'end', retryMs: 1000 })]],
  ['retry: soon\nid: a\0b\nunknown: x\ndata: x\n\n', [event('x')]],
  ['\ufeffdata: x\r\n\r\ndata: y\r\r', [event('x'), event('y')]],
  ['event: lost\n\ndata: x\n\n', [event('x')]],
  ['data: incomplete\n', []],
])('%j', (text, events) => {
  // The end of a stream may be half of a line break: one more character decides.
  expect(parse(text, '\n').slice(0, events.length)).toEqual(events);
});

it('the same events come out, wherever the text is divided', () => {
  const text = 'retry: 5\r\nid: 7\r\nevent: domain\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: beat\n\ndata: é\n\n';
  const whole = parse(text);
  expect(whole).toHaveLength(2);
  const anywhere = fc.uniqueArray(fc.nat(text.length));
  fc.assert(
    fc.property(anywhere, (places) => {
      const ends = [...places.sort((a, b) => a - b), text.length];
      const parts = ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end));
      expect(parse(...parts)).toEqual(whole);
    }),
  );
});
