import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Fault, SimulatedFault } from './dns/simulated-fault.ts';
import { InvalidRecord, type SimulatedRecord } from './dns/simulated-record.ts';
import type { LoggedQuery, Simulator } from './dns/simulator.ts';
import { loadPanelFiles, type PanelFile } from './panel/panel-files.ts';
import { addRecord, editRecord, type NewPanelRecord, type PanelRecord, removeRecord } from './panel/record-edits.ts';

/**
 * The requests of `nameplate dns` and of the DNS panel to a running playground: one POST each, with the fields as a
 * JSON object.
 */
export interface ControlCommands {
  set: { name: string; type: string; values: string[]; ttl?: number };
  remove: { name: string; type?: string };
  /** `none` removes the fault. */
  fail: { name: string; fault: Fault | 'none' };
  list: Record<never, never>;
  log: Record<never, never>;
  addRecord: NewPanelRecord;
  editRecord: { from: PanelRecord; to: NewPanelRecord };
  removeRecord: PanelRecord;
  addZone: { apex: string };
  panel: Record<never, never>;
}

/** The responses. */
export interface ControlResults {
  set: Record<never, never>;
  remove: { removed: boolean };
  fail: Record<never, never>;
  list: { records: SimulatedRecord[]; faults: SimulatedFault[] };
  log: LoggedQuery[];
  addRecord: Record<never, never>;
  editRecord: Record<never, never>;
  removeRecord: { removed: boolean };
  addZone: Record<never, never>;
  panel: PanelState;
}

/** The content of the DNS panel. */
export interface PanelState {
  /** Address and port of the simulator. */
  dns: string;
  /** Apexes. */
  zones: string[];
  records: SimulatedRecord[];
  faults: SimulatedFault[];
  /** The latest queries, oldest first. */
  queries: LoggedQuery[];
}

export interface Control {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** The link to the page of the DNS panel, with the token that opens it. `zone`: the apex that it shows first. */
  panel(zone: string): string;
  close(): Promise<void>;
}

const READS: readonly string[] = ['list', 'log', 'panel'];
const PANEL_QUERIES = 200;
const MAX_BODY_BYTES = 1024 * 1024;
/**
 * A page of another site can have its own name lead to loopback (DNS rebinding), but the browser then sends that name.
 */
const HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/**
 * Serves the DNS panel on loopback, and takes commands with the playground's root key or the token of the panel's link.
 * Responds after changes have been saved. Listens on `port` if it is free, otherwise on any free port.
 */
export async function startControl(
  simulator: Simulator,
  rootKey: string,
  save: () => Promise<void>,
  port = 0,
): Promise<Control> {
  const handlers = handlersOf(simulator);
  const panelToken = panelTokenOf(rootKey);
  const files = await loadPanelFiles();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', origin } = request.headers;
    if (!HOST.test(host)) return send(response, 403, { message: `Requests to "${host}" are not answered here.` });
    if (origin !== undefined && origin !== `http://${host}`)
      return send(response, 403, { message: 'Pages of other origins may not use this.' });
    if (request.method === 'GET' || request.method === 'HEAD') {
      const file = files.get(request.url?.split('?')[0] ?? '');
      return file === undefined ? send(response, 404, { message: 'No such file.' }) : sendFile(file, request, response);
    }
    if (request.method !== 'POST') return send(response, 405, { message: 'Commands are POST requests.' });
    if (!isAuthorized(request.headers.authorization, [rootKey, panelToken]))
      return send(response, 401, { message: 'The root key does not belong to this playground.' });
    if (!/^application\/json(;|$)/.test(request.headers['content-type'] ?? ''))
      return send(response, 415, { message: 'The body of a command is application/json.' });
    await runCommand(request, response);
  }

  function sendFile(file: PanelFile, request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { ...file.headers, 'content-length': file.content.length });
    response.end(request.method === 'HEAD' ? undefined : file.content);
  }

  async function runCommand(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (Number(request.headers['content-length'] ?? MAX_BODY_BYTES + 1) > MAX_BODY_BYTES)
      return send(response, 413, { message: 'The request is larger than 1 MiB.' });
    const command = request.url?.slice(1) ?? '';
    if (!Object.hasOwn(handlers, command)) return send(response, 404, { message: 'Unknown command.' });
    try {
      const result = handlers[command as keyof Handlers]((await json(request)) as never);
      if (!READS.includes(command)) await save();
      send(response, 200, result);
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
      send(response, 400, { message: error.message });
    }
  }

  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  try {
    await listening;
  } catch (error) {
    if (port === 0) throw error;
    return startControl(simulator, rootKey, save);
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    // Browsers send the fragment to no server.
    panel: (zone) => `${url}/?zone=${zone}#${panelToken}`,
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
    addRecord(record) {
      addRecord(simulator, record);
      return {};
    },
    editRecord({ from, to }) {
      editRecord(simulator, from, to);
      return {};
    },
    removeRecord: (record) => ({ removed: removeRecord(simulator, record) }),
    addZone({ apex }) {
      if (!simulator.zones().includes(apex)) simulator.setZone(apex);
      return {};
    },
    panel: () => ({
      dns: `${simulator.address}:${simulator.port}`,
      zones: simulator.zones(),
      records: simulator.list(),
      faults: simulator.faults(),
      queries: simulator.log().slice(-PANEL_QUERIES),
    }),
  };
}

/** Derives the token from the root key, without revealing it: it stays the same after a restart. */
function panelTokenOf(rootKey: string): string {
  return createHmac('sha256', rootKey).update('DNS panel').digest('hex').slice(0, 32);
}

function isAuthorized(authorization: string | undefined, tokens: readonly string[]): boolean {
  const given = Buffer.from(authorization ?? '');
  const isSame = (expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected);
  return tokens.some((token) => isSame(Buffer.from(`Bearer ${token}`)));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  response.end(JSON.stringify(body));
}
