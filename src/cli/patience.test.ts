import { describe, expect, it } from 'vitest';
import { ApiError, ServerUnreachable } from './api-client.ts';
import { patiently } from './patience.ts';

const answered = (status: number, retryAfter: number | null = null) =>
  new ApiError({ title: '', detail: `${status}`, status, type: '' }, 'req_1', retryAfter);

/** Calls that fail with these errors, one after the other, and then succeed. */
async function calling(...errors: Error[]) {
  const waits: number[] = [];
  const call = async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  const result = await patiently(call, async (ms) => waits.push(ms / 1000)).catch((error: Error) => error);
  return { result, waits };
}

describe('a call that may be repeated', () => {
  it('waits for the rate limit as long as it is told to, however often', async () => {
    const errors = Array.from({ length: 20 }, () => answered(429, 7));
    expect(await calling(...errors)).toEqual({ result: 'done', waits: errors.map(() => 7) });
    expect(await calling(answered(429, 0), answered(429))).toEqual({ result: 'done', waits: [1, 1] });
  });

  it('is made again while the server fails or is not there, later each time, and then given up', async () => {
    const gone = new ServerUnreachable('gone');
    expect(await calling(gone, answered(500, 1), gone)).toEqual({ result: 'done', waits: [1, 2, 4] });
    expect(await calling(answered(500, 30))).toEqual({ result: 'done', waits: [30] });
    expect(await calling(gone, gone, gone, gone, gone, gone)).toEqual({ result: gone, waits: [1, 2, 4, 8, 16] });
  });

  it('is not made again where that would change nothing', async () => {
    for (const error of [answered(400), answered(401), answered(403), answered(404), new Error('a mistake')]) {
      expect(await calling(error)).toEqual({ result: error, waits: [] });
    }
  });
});
