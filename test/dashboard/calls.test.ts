import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandOf, curlOf } from '../../page/dashboard/calls.ts';

const HOSTILE = ['$(touch x)', "a'b", '`id`', '"; exit', 'two words', '\\', '*'];

/** The words that a shell makes of a line. */
function wordsOf(line: string): string[] {
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { env: { NAMEPLATE_ROOT_KEY: 'np_1' } });
  return printed.toString().split('\0').slice(0, -1);
}

describe('a call that is copied', () => {
  it.each(HOSTILE)('reaches a shell as it is, whatever it contains: %s', (text) => {
    expect(wordsOf(commandOf(['domains', 'verify', text]))).toEqual(['nameplate', 'domains', 'verify', text]);
    const words = wordsOf(curlOf('https://api.example.net', 'domains.verifyDomain', { domain: text }));
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ domain: text });
    expect(words).toContain('https://api.example.net/v2/domains.verifyDomain');
    expect(words).toContain('Authorization: Bearer np_1');
  });
});
