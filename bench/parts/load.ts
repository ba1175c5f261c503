import { type Connection, openConnection } from '../connection.ts';
import { offer } from '../part.ts';
import { nameOf } from '../population.ts';
import { quantile } from '../spread.ts';

export interface Target {
  port: number;
  rootKey: string;
  connections: number;
  seconds: number;
  ask: Asking;
}

/** `getDomain`: domains of a population, each as likely as the other. `createDomain`: names that nobody asked for before. */
export type Asking =
  | { operation: 'domains.getDomain'; domains: number }
  | { operation: 'domains.createDomain'; project: string; app: string; environment: string };

export interface Saturated {
  answers: number;
  seconds: number;
}

export interface Paced extends Saturated {
  p50Ms: number;
  p99Ms: number;
}

const methods = {
  /** Closed loop: each connection asks again as soon as it is answered. */
  async saturate({ port, connections, seconds, ...about }: Target): Promise<Saturated> {
    const next = requests(about);
    const opened = await open(port, connections);
    const began = performance.now();
    const end = began + seconds * 1000;
    let answers = 0;
    await Promise.all(
      opened.map(
        (connection) =>
          new Promise<void>((resolve, reject) => {
            const ask = () => connection.send(next(), answered);
            const answered = (status: number) => {
              if (status !== 200) return reject(new Error(`answered ${status}`));
              answers++;
              if (performance.now() < end) ask();
              else resolve();
            };
            ask();
          }),
      ),
    );
    const took = (performance.now() - began) / 1000;
    for (const connection of opened) connection.close();
    return { answers, seconds: took };
  },

  /**
   * Open loop: requests come at random moments, so many a second on average, whether or not others have been answered. Latency counts
   * from the moment a request was to be sent, so that one that waits for a connection is not flattered.
   */
  async pace({ port, connections, seconds, perSecond, ...about }: Target & { perSecond: number }): Promise<Paced> {
    const next = requests(about);
    const free = await open(port, connections);
    const all = [...free];
    const dueAt: number[] = [];
    const latencies: number[] = [];
    const began = performance.now();
    const end = began + seconds * 1000;
    let arrival = began;
    let underWay = 0;
    let failed = 0;

    function sendDue(): void {
      for (;;) {
        const connection = dueAt.length > 0 ? free.pop() : undefined;
        const due = connection && dueAt.shift();
        if (connection === undefined || due === undefined) return;
        underWay++;
        connection.send(next(), (status) => {
          latencies.push(performance.now() - due);
          if (status !== 200) failed++;
          underWay--;
          free.push(connection);
          sendDue();
        });
      }
    }

    await new Promise<void>((resolve) => {
      const tick = () => {
        const now = performance.now();
        // What this process was late by is not the server's: a request that came meanwhile is due now.
        for (; arrival <= now && arrival < end; arrival -= Math.log(1 - Math.random()) * (1000 / perSecond))
          dueAt.push(now);
        sendDue();
        if (arrival < end || dueAt.length > 0 || underWay > 0) setTimeout(tick, 1);
        else resolve();
      };
      tick();
    });
    for (const connection of all) connection.close();
    if (failed > 0) throw new Error(`${failed} of ${latencies.length} requests were refused`);
    const took = (performance.now() - began) / 1000;
    return {
      answers: latencies.length,
      seconds: took,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
    };
  },
};

function open(port: number, connections: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: connections }, () => openConnection(port)));
}

let created = 0;

/** Whole requests, as text. */
function requests({ rootKey, ask }: Pick<Target, 'rootKey' | 'ask'>): () => string {
  const { operation, ...input } = ask;
  const head = [
    `POST /v2/${operation} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${rootKey}`,
    'Content-Type: application/json',
    'Content-Length: ',
  ].join('\r\n');
  const write = (body: string) => `${head}${body.length}\r\n\r\n${body}`;
  if (operation === 'domains.getDomain') {
    return () => write(`{"domain":"${nameOf(Math.floor(Math.random() * ask.domains))}"}`);
  }
  return () => write(JSON.stringify({ ...input, domain: `d${++created}.p${process.pid}.created.test` }));
}

export type Load = typeof methods;
offer(methods);
