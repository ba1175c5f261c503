import { once } from 'node:events';
import { expect, it } from 'vitest';
import { handshake, overHttp2, overHttps, startHarness } from './harness.ts';
import { END_HEADERS, END_STREAM, frame, GOAWAY, HEADERS, openHttp2, requestFields } from './http2.ts';

it.each([0, 2])(
  'an edge that stops, with %i threads, completes requests in flight and accepts no more',
  async (threads) => {
    const edge = await startHarness({ threads, graceMs: 60_000 });
    try {
      const begun: (() => void)[] = [];
      const origin = await edge.addOrigin((_, response) => void begun.push(() => response.end('late')));
      const { hostname } = await edge.addSite({ origin });
      const asking = [overHttps, overHttp2].map((ask) => ask({ port: edge.httpsPort, hostname }));
      const idle = await handshake(edge.httpsPort, { servername: hostname });
      const closed = once(idle.resume(), 'close');
      while (begun.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const stopped = edge.edge.stop();
      await closed;
      await expect(handshake(edge.httpsPort, { servername: hostname })).rejects.toThrow(
        /ECONNREFUSED|ECONNRESET|socket disconnected/,
      );
      for (const goOn of begun) goOn();
      expect((await Promise.all(asking)).map(({ status, text }) => [status, text])).toEqual([
        [200, 'late'],
        [200, 'late'],
      ]);
      await stopped;
    } finally {
      await edge.close();
    }
  },
);

it('an edge that stops sends GOAWAY over HTTP/2, and waits no longer than its grace period', async () => {
  const edge = await startHarness({ graceMs: 100 });
  try {
    const { hostname } = await edge.addSite({ origin: await edge.addOrigin(() => {}) });
    const { send, frames, ended } = await openHttp2(edge.httpsPort, hostname);
    send(frame(HEADERS, END_HEADERS | END_STREAM, 1, requestFields(hostname)));
    while ((await edge.metric('nameplate_edge_lookups_total{kind="site"}')) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await edge.edge.stop();
    await ended;
    expect(frames.some(({ type }) => type === GOAWAY)).toBe(true);
  } finally {
    await edge.close();
  }
});
