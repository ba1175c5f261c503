import { type RequestOptions, request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

export interface Asked extends RequestOptions {
  hostname: string;
}

/** Clients of the edge on this machine, which trust the CA with these roots (PEM). */
export function trialVisitors(roots: string) {
  function get(
    { hostname, ...about }: Asked,
    timeout = 5000,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: string; error: string | null }> {
    const to = {
      host: '127.0.0.1',
      servername: hostname,
      headers: { host: hostname },
      ca: roots,
      agent: false,
    };
    return new Promise((resolve) => {
      let body = '';
      const end = (error: string | null, status = 0, headers = {}) => resolve({ status, headers, body, error });
      const sent = requestHttps({ ...to, timeout, ...about }, (response) => {
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.once('end', () => end(null, response.statusCode, response.headers));
        response.once('error', (error) => end(error.message, response.statusCode));
      });
      sent.once('timeout', () => sent.destroy(new Error('timeout')));
      sent.once('error', (error) => end(error.message)).end();
    });
  }

  async function untilServed(hostname: string, path = '/'): Promise<void> {
    for (const end = Date.now() + 120_000; Date.now() < end; await delay(250)) {
      const { status } = await get({ hostname, path });
      if (status !== 0 && status < 500) return;
    }
    throw new Error(`${hostname} is not served`);
  }

  /** Requests with a new handshake each, 20 ms after the one before. */
  function visit(asked: Asked) {
    let isStopped = false;
    const failures: { at: number; error: string }[] = [];
    let requests = 0;
    const visiting = (async () => {
      while (!isStopped) {
        const { status, error } = await get(asked);
        requests += 1;
        if (error !== null || status !== 200) failures.push({ at: performance.now(), error: error ?? String(status) });
        await delay(20);
      }
    })();
    return {
      async stop() {
        isStopped = true;
        await visiting;
        const [first, last] = [failures[0]?.at ?? 0, failures.at(-1)?.at ?? 0];
        const kinds = [...new Set(failures.map(({ error }) => error.slice(0, 80)))];
        return { requests, failed: failures.length, forSeconds: Math.round((last - first) / 100) / 10, kinds };
      },
    };
  }

  return { get, untilServed, visit };
}
