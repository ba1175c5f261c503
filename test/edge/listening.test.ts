import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { readServerConfig } from '../../server/src/config/config.ts';
import { overHttps, startHarness } from './harness.ts';

const { edgeHttpListen, edgeHttpsListen } = readServerConfig({
  NAMEPLATE_CNAME_ZONE: 'cname.example.net',
  NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
});
const hasIpv6 = edgeHttpListen?.host === '::';

/** An HTTP request for an unknown name. */
async function statusAt(host: string, port: number): Promise<string> {
  const socket = connect({ host, port });
  socket.write('GET / HTTP/1.1\r\nHost: nobody.example.com\r\nConnection: close\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  return String(chunk).slice(9, 12);
}

it.each([1, 2])(
  'without a setting the edge, with %i threads, listens on IPv4, and on IPv6 where there is IPv6',
  async (threads) => {
    const anyPort = (listen: typeof edgeHttpListen) => listen && { ...listen, port: 0 };
    const edge = await startHarness({ threads, http: anyPort(edgeHttpListen), https: anyPort(edgeHttpsListen) });
    try {
      for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])
        expect(await statusAt(host, edge.httpPort)).toBe('404');
      // An IPv4 client is one also to origins.
      const { hostname } = await edge.addSite();
      const { text } = await overHttps({ port: edge.httpsPort, hostname });
      expect(JSON.parse(text).headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' });
    } finally {
      await edge.close();
    }
  },
);
