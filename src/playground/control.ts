import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Fault, SimulatedFault } from './dns/simulated-fault.ts';
import { InvalidRecord, type SimulatedRecord } from './dns/simulated-record.ts';
import type { LoggedQuery, Simulator } from './dns/simulator.ts';

/** The requests of `nameplate dns` to a running playground: one POST each, with the fields as a JSON object. */
export interface ControlCommands {
  set: { name: string; type: string; values: string[]; ttl?: number };
  remove: { name: string; type?: string };
  /** `none` removes the fault. */
  fail: { name: string; fault: Fault | 'none' };
  list: Record<never, never>;
  log: Record<never, never>;
}

/** The responses. */
export interface ControlResults {
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

const CHANGES = new Set(['set', 'remove', 'fail']);
const MAX_BODY_BYTES = 1024 * 1024;

/** Listens on loopback, for requests with the playground's root key. Responds after changes have been saved. */
export async function startControl(simulator: Simulator, rootKey: string, save: () => Promise<void>): Promise<Control> {
  const handlers = handlersOf(simulator);
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAuthorized(request.headers.authorization, rootKey))
      return send(response, 401, { message: 'The root key does not belong to this playground.' });
    if (Number(request.headers['content-length'] ?? MAX_BODY_BYTES + 1) > MAX_BODY_BYTES)
      return send(response, 413, { message: 'The request is larger than 1 MiB.' });
    const command = request.url?.slice(1) ?? '';
    if (!Object.hasOwn(handlers, command)) return send(response, 404, { message: 'Unknown command.' });
    try {
      const result = handlers[command as keyof Handlers]((await json(request)) as never);
      if (CHANGES.has(command)) await save();
      send(response, 200, result);
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
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

type Handlers = { [C in keyof ControlCommands]: (body: ControlCommands[C]) => ControlResults[C] };

/** The simulator validates the values; the shape of the bodies is that of our own program. */
function handlersOf(simulator: Simulator): Handlers {
  return {
    set({ name, type, values, ttl }) {
      simulator.set(name, type, values, ttl);
      return {};
    },
    remove: ({ name, type }) => ({ removed: simulator.remove(name, type) }),
    fail({ name, fault }) {
      if (fault === 'none') simulator.unfail(name);
      else simulator.fail(name, fault);
      return {};
    },
    list: () => ({ records: simulator.list(), faults: simulator.faults() }),
    log: () => simulator.log(),
  };
}

function isAuthorized(authorization: string | undefined, rootKey: string): boolean {
  const given = Buffer.from(authorization ?? '');
  const expected = Buffer.from(`Bearer ${rootKey}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
