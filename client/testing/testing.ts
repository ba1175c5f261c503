import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createClient, type NameplateClient } from '../client.ts';
import { type SimulatedDns, simulatedDns } from './simulated-dns.ts';

/** For tests of platforms: `import { startPlayground } from '@nameplate/client/testing'`, in Node, Bun or Deno. */

export type { DnsFault, SimulatedDns } from './simulated-dns.ts';

export interface PlaygroundOptions {
  /** Program and arguments in place of the `nameplate` that is installed in the project, such as `['nameplate']`. */
  command?: [program: string, ...args: string[]];
  /** Time between two checks of a domain, in seconds; 0.5 unless given. */
  checkIntervalSeconds?: number;
  /** Length of the verification window, in seconds; a day unless given. A domain without records fails at its end. */
  windowSeconds?: number;
}

/** A server of its own for tests: ports, data, DNS and CA belong to nobody else. */
export interface TestPlayground {
  /** Address of the API. */
  baseUrl: string;
  /** Has every permission. */
  rootKey: string;
  client: NameplateClient;
  /** An environment for domains. It has an origin, which responds with the name of the site. */
  place: { project: string; app: string; environment: string };
  dns: SimulatedDns;
  edge: {
    /** Addresses and ports. */
    http: string;
    https: string;
    /** Certificate of the CA, PEM. */
    ca: string;
  };
  /** Requests a URL such as `https://shop.verified.test/` from the edge, as a visitor who trusts its CA. */
  visit(url: string): Promise<Response>;
  /** Stops it and deletes its data. It also stops when the process that started it ends, in whatever way. */
  stop(): Promise<void>;
}

/** The line of `nameplate dev --json`. */
interface ReadyLine {
  api: string;
  rootKey: string;
  project: { slug: string };
  app: { slug: string };
  environment: { slug: string };
  dns: string;
  dnsPanel: string;
  edge: { http: string; https: string; ca: string };
}

/**
 * Starts a playground on free ports. Rejects with what the program said, if it does not start. Names below some zones,
 * such as `verified.test`, have their records from the start: docs/guides/client.md lists them.
 */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<TestPlayground> {
  const { command = installedCommand(), checkIntervalSeconds = 0.5, windowSeconds } = options;
  const [program, ...args] = command;
  const data = mkdtempSync(join(tmpdir(), 'nameplate-test-'));
  const free = ['--port', '0', '--dns-port', '0', '--edge-http-port', '0', '--edge-https-port', '0'];
  const timing = ['--check-interval', String(checkIntervalSeconds)];
  if (windowSeconds !== undefined) timing.push('--window', String(windowSeconds));
  // Its standard input ends with this process.
  const flags = ['dev', '--json', '--stop-with-stdin', '--data', data, ...free, ...timing];
  const child = spawn(program, [...args, ...flags], { stdio: 'pipe' });
  const removeData = () => rmSync(data, { recursive: true, force: true });
  process.once('exit', removeData);
  const ended = once(child, 'close').finally(() => {
    process.off('exit', removeData);
    removeData();
  });
  const line = await readyLine(child, ended);
  // The playground keeps no test from ending.
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) (handle as { unref?(): void }).unref?.();

  const { api, rootKey, project, app, environment, edge } = line;
  const ca = readFileSync(edge.ca, 'utf8');
  const client = createClient({ baseUrl: api, rootKey });
  return {
    baseUrl: api,
    rootKey,
    client,
    place: { project: project.slug, app: app.slug, environment: environment.slug },
    dns: simulatedDns(line.dns, line.dnsPanel, client),
    edge: { ...edge, ca },
    visit: (url) => visit(new URL(url), edge.https, ca),
    async stop() {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

/** Throws where the package is not installed. */
function installedCommand(): [string] {
  try {
    const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('nameplate/package.json');
    return [join(dirname(manifest), 'bin/nameplate')];
  } catch (cause) {
    const advice = 'Run "npm install --save-dev nameplate", or give its "command"';
    throw new Error(`The package nameplate is not installed in ${process.cwd()}. ${advice}.`, { cause });
  }
}

async function readyLine(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  ended: Promise<unknown>,
): Promise<ReadyLine> {
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // Only a start that fails is explained by it.
    stderr = (stderr + text).slice(-10_000);
  });
  const ready = new Promise<ReadyLine>((resolve) => {
    const read = (text: string) => {
      stdout += text;
      // With its line break: a part of a line may end in a brace too.
      const line = /^(\{"event":"ready".*)\n/m.exec(stdout)?.[1];
      if (line === undefined) return;
      // Later lines are read and dropped, so that they fill neither the pipe nor memory.
      child.stdout.off('data', read).resume();
      resolve(JSON.parse(line));
    };
    child.stdout.setEncoding('utf8').on('data', read);
  });
  const failed = ended.then(() => {
    throw new Error(`The playground did not start: ${stderr.trim() || 'it ended without a word'}`);
  });
  // A later end is no failure of the start.
  failed.catch(() => {});
  return Promise.race([ready, failed]);
}

async function visit(url: URL, https: string, ca: string): Promise<Response> {
  const { hostname: host, port } = new URL(`https://${https}`);
  const { hostname, pathname, search } = url;
  const headers = { host: hostname };
  const sent = request({ host, port, servername: hostname, path: pathname + search, headers, ca, agent: false }).end();
  const [response] = await once(sent, 'response');
  const parts: Uint8Array[] = [];
  for await (const part of response) parts.push(part);
  const body = [204, 304].includes(response.statusCode) ? null : Buffer.concat(parts);
  const fields = Object.entries<string | string[]>(response.headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new Response(body, { status: response.statusCode, headers: fields });
}
