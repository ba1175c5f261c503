import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { RecordRefused, type SimulatedRecord } from './dns/simulated-record.ts';
import type { Fault, LoggedQuery, SimulatedFault, Simulator } from './dns/simulator.ts';

/** What `nameplate dns` can ask a running playground to do: one POST each, with the fields as a JSON object. */
export interface Commands {
  set: { name: string; type: string; values: string[]; ttl?: number };
  remove: { name: string; type?: string };
  /** `none` ends the fault. */
  fail: { name: string; fault: Fault | 'none' };
  list: Record<never, never>;
  log: Record<never, never>;
}

/** What it answers. */
export interface Controlled {
  set: Record<never, never>;
  remove: { removed: boolean };
  fail: Record<never, never>;
  list: { records: SimulatedRecord[]; faults: SimulatedFault[] };
  log: LoggedQuery[];
}

export interface Control {
  /** `http://127.0.0.1:PORT` */
  url: string;
  close(): Promise<void>;
}

const CHANGES = new Set<string | undefined>(['/set', '/remove', '/fail']);
const MAX_BODY_BYTES = 1024 * 1024;

/** Listens on loopback for whoever has the playground's root key. Answers when what was changed has been saved. */
export async function startControl(simulator: Simulator, rootKey: string, save: () => Promise<void>): Promise<Control> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isHolder(request.headers.authorization, rootKey))
      return send(response, 401, { message: 'The root key is not that of this playground.' });
    if (Number(request.headers['content-length'] ?? MAX_BODY_BYTES + 1) > MAX_BODY_BYTES)
      return send(response, 413, { message: 'Too much at once.' });
    try {
      const answer = run(simulator, request.url ?? '', await json(request));
      if (CHANGES.has(request.url)) await save();
      send(response, 200, answer);
    } catch (error) {
      if (!(error instanceof RecordRefused)) throw error;
      send(response, 400, { message: error.message });
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Commands come from our own program; the simulator checks the values that a person typed. */
function run(simulator: Simulator, path: string, body: unknown): Controlled[keyof Controlled] {
  switch (path) {
    case '/set': {
      const { name, type, values, ttl } = body as Commands['set'];
      simulator.set(name, type, values, ttl);
      return {};
    }
    case '/remove': {
      const { name, type } = body as Commands['remove'];
      return { removed: simulator.remove(name, type) };
    }
    case '/fail': {
      const { name, fault } = body as Commands['fail'];
      if (fault === 'none') simulator.unfail(name);
      else simulator.fail(name, fault);
      return {};
    }
    case '/list':
      return { records: simulator.list(), faults: simulator.faults() };
    case '/log':
      return simulator.log();
    default:
      throw new RecordRefused(`The playground knows no command ${path}.`);
  }
}

function isHolder(authorization: string | undefined, rootKey: string): boolean {
  const given = Buffer.from(authorization ?? '');
  const expected = Buffer.from(`Bearer ${rootKey}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
