import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/guides/edge.md', import.meta.url), 'utf8');
const [express = '', hono = ''] = [...page.matchAll(/```js\n([^`]*)```/g)].map(([, code = '']) => code);
const [, ...shared] = express.split('\n').slice(0, 3);

/** Runs an example of the page with an app that keeps the handler. */
function handlerOf(code: string): (...args: unknown[]) => unknown {
  let kept: ((...args: unknown[]) => unknown) | undefined;
  const app = {
    use(handler: typeof kept) {
      kept = handler;
    },
  };
  const lines = code.split('\n').filter((line) => !line.startsWith('import '));
  const names = ['app', 'createHash', 'timingSafeEqual', 'process'];
  new Function(...names, lines.join('\n'))(app, createHash, timingSafeEqual, { env: { EDGE_SECRET: 'npe_mine' } });
  if (kept === undefined) throw new Error('the example uses no handler');
  return kept;
}

const CASES = [
  ['npe_mine', true],
  ['npe_new, npe_mine', true],
  ['npe_mine, npe_old', true],
  ['npe_new', false],
  ['npe_mine-and-more', false],
  ['', false],
  [undefined, false],
] as const;

describe.each(CASES)('the secret "%s"', (header, isAccepted) => {
  it('is checked by the example for Express', () => {
    const said: unknown[] = [];
    const response = { sendStatus: (status: number) => said.push(status) };
    handlerOf(express)({ get: () => header }, response, () => said.push('next'));
    expect(said).toEqual([isAccepted ? 'next' : 403]);
  });

  it('is checked by the example for Hono', async () => {
    const said: unknown[] = [];
    const c = { req: { header: () => header }, text: (_: string, status: number) => said.push(status) };
    await handlerOf([...shared, hono].join('\n'))(c, async () => said.push('next'));
    expect(said).toEqual([isAccepted ? 'next' : 403]);
  });
});
