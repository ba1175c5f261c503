import { describe, expect, it } from 'vitest';
import { ConnectionError, NameplateError, UnexpectedResponse } from '../../../../client/client.ts';
import { CliError } from '../cli-error.ts';
import { ApiError, ServerUnreachable } from './api-client.ts';
import { withRetries } from './with-retries.ts';

const answered = (status: number, retryAfter: number | null = null, rateLimit: number | null = null) =>
  new ApiError(new NameplateError({ title: '', detail: `${status}`, status, type: '' }, { retryAfter, rateLimit }));
const lost = new ServerUnreachable('gone', { cause: new ConnectionError('gone') });
const ofProxy = (status: number) =>
  new ServerUnreachable('a proxy', { cause: new UnexpectedResponse('http://api.test/', status, null) });

/** Calls that fail with these errors, one after the other, and then succeed. */
async function calling(...errors: Error[]) {
  const waits: number[] = [];
  const call = async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  const wait = async (ms: number) => waits.push(ms / 1000);
  const result = await withRetries(call, { wait }).catch((error: Error) => error);
  return { result, waits };
}

describe('a call that may be repeated', () => {
  it('waits as long as the rate limit asks, however often', async () => {
    const errors = Array.from({ length: 20 }, () => answered(429, 7, 100));
    expect(await calling(...errors)).toEqual({ result: 'done', waits: errors.map(() => 7) });
    expect(await calling(answered(429, 0), answered(429))).toEqual({ result: 'done', waits: [1, 1] });
  });

  it('does not wait for a rate limit of 0, which never ends', async () => {
    const never = answered(429, 60, 0);
    expect(await calling(never)).toEqual({ result: never, waits: [] });
  });

  it('is made again while the server fails or is not there, later each time, and then given up', async () => {
    expect(await calling(lost, answered(500, 1), lost)).toEqual({ result: 'done', waits: [1, 2, 4] });
    expect(await calling(answered(500, 30))).toEqual({ result: 'done', waits: [30] });
    expect(await calling(lost, lost, lost, lost, lost, lost)).toEqual({ result: lost, waits: [1, 2, 4, 8, 16] });
  });

  it('is made again while a proxy cannot reach the server', async () => {
    const errors = [502, 503, 504, 429].map(ofProxy);
    expect(await calling(...errors)).toEqual({ result: 'done', waits: [1, 2, 4, 8] });
  });

  it('is not made again where that would change nothing', async () => {
    const elsewhere = new CliError('', { cause: new UnexpectedResponse('http://api.test/', 404, null) });
    for (const error of [
      answered(400),
      answered(401),
      answered(403),
      answered(404),
      elsewhere,
      new Error('a mistake'),
    ]) {
      expect(await calling(error)).toEqual({ result: error, waits: [] });
    }
  });

  it('ends a wait with its signal', async () => {
    const interruption = new AbortController();
    let calls = 0;
    const call = async () => {
      calls += 1;
      setImmediate(() => interruption.abort(new Error('enough')));
      throw answered(429, 60, 1);
    };
    await expect(withRetries(call, { signal: interruption.signal })).rejects.toThrow('enough');
    expect(calls).toBe(1);
  });
});
