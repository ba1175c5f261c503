import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';

/** The ClientHello that OpenSSL sends. */
export async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', ...options });
  client.on('error', () => {});
  const [socket] = (await accepted) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

const PLACEHOLDER = 'invented00000000.example.com';
const invented = (await helloOf({ servername: PLACEHOLDER })).toString('latin1');

/** One for a name that nobody has: doing TLS a thousand times would be a test of the client. */
export function inventedHello(number: number): Buffer {
  return Buffer.from(invented.replace(PLACEHOLDER, inventedName(number)), 'latin1');
}

export function inventedName(number: number): string {
  return `invented${String(number).padStart(8, '0')}.example.com`;
}
