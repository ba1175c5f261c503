import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from './front.ts';
import { type Harness, handshake, type Site, startHarness } from './harness.ts';

let edge: Harness;
let site: Site;
let heard = 0;
beforeAll(async () => {
  edge = await startHarness();
  // It never answers.
  const origin = await edge.addOrigin(() => {
    heard += 1;
  });
  site = await edge.addSite({ origin });
});
afterAll(() => edge.close());

it('forgets every request of a client that goes away, also those whose turn had not come', async () => {
  const socket = await handshake(edge.httpsPort, { servername: site.hostname });
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${site.hostname}\r\n\r\n`;
  socket.write(`${request('/1')}${request('/2')}${request('/3')}`);
  await until(() => heard === 3);
  socket.destroy();
  const line = 'nameplate_edge_requests_total{protocol="http/1.1",status="4xx"}';
  while ((await edge.metric(line)) < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await edge.metric(line)).toBe(3);
});
