import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { runJson, start, temporaryDirectory } from '../support/command.ts';

/** `nameplate serve` in a process of its own. */
export interface Victim {
  port: number;
  /** A key that may read domains. */
  rootKey: string;
  /** Resident memory, in bytes. */
  memory(): Promise<number>;
  /** Asks a good question like any customer, over a new connection. Resolves with the status. */
  ask(): Promise<number>;
  /** Rejects when the process has ended or logged an error; otherwise ends it. */
  close(): Promise<void>;
}

const FIRST_LOOPBACK = '127.0.0.1';

export async function startVictim(): Promise<Victim> {
  const directory = temporaryDirectory();
  const database = ['--database', `sqlite:${directory.path}/nameplate.db`];
  const workspace = await runJson<{ id: string }>(['workspaces', 'create', 'acme', ...database]);
  const permission = ['--permission', 'environment.*.read_domain'];
  const made = await runJson<{ key: string }>([
    'keys',
    'create',
    '--workspace',
    workspace.id,
    ...permission,
    ...database,
  ]);
  const server = start(['serve'], {
    env: {
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
      NAMEPLATE_DATABASE_URL: database[1] ?? '',
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
      NAMEPLATE_LOG_LEVEL: 'info',
      NAMEPLATE_ROLES: 'api,verifier',
    },
  });
  const [, line = ''] = await server.says(/^(\{.*"msg":"ready"\})$/m);
  const { api, metrics } = JSON.parse(line) as { api: string; metrics: string };

  return {
    port: Number(new URL(api).port),
    rootKey: made.key,
    async memory() {
      const text = await (await fetch(`${metrics}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
    },
    async ask() {
      const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'application/json', connection: 'close' };
      const body = JSON.stringify({ domain: 'nobody.test' });
      return (await fetch(`${api}/v2/domains.getDomain`, { method: 'POST', headers, body })).status;
    },
    async close() {
      const { code, stdout, stderr } = await server.stop();
      directory.remove();
      const errors = stdout.split('\n').filter((each) => /"level":[56]0/.test(each));
      if (code !== 0 || stderr !== '' || errors.length > 0) {
        throw new Error(`the server did not stand it: exit code ${code}\n${stderr}\n${errors.slice(0, 5).join('\n')}`);
      }
    },
  };
}

/** A connection from a loopback address of the attacker's choice. Errors are what an attacker expects. */
export async function dial(port: number, localAddress = FIRST_LOOPBACK): Promise<Socket> {
  const socket = connect({ host: FIRST_LOOPBACK, port, localAddress, allowHalfOpen: true });
  socket.on('error', () => {});
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** One of the many addresses that loopback has. */
export function loopback(number: number): string {
  return `127.${1 + (Math.floor(number / 62_500) % 250)}.${Math.floor(number / 250) % 250}.${1 + (number % 250)}`;
}
