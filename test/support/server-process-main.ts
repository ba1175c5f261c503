import { createInterface } from 'node:readline';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { startServer } from '../../server/src/main.ts';

// The program under test: `nameplate serve`, configured by the environment, but for what only tests may choose: the
// ports of nameservers and of customers' names, the lengths of the schedule and of leases, and the clock, which can be
// stepped. It is told so in its one argument, and by lines on standard input, at whose end it ends: it never outlives
// the tests.

/** The argument, in JSON. */
export interface ServerSettings {
  nameserverPort: number;
  challengePort?: number;
  certificateLeaseMs?: number;
  deliveryLeaseMs?: number;
  checkIntervalMs: number;
  windowMs: number;
  /** How far its clock is ahead at first; 0 unless given. */
  aheadMs?: number;
}

/** Where else it is asked; null where it has no such listener. */
export interface Addresses {
  /** Ports of the edge. */
  httpPort: number | null;
  httpsPort: number | null;
  /** `http://host:port` */
  metrics: string | null;
}

/** A line of standard output that is none of the log's. */
export type Said =
  | ({ event: 'ready'; api: string; pid: number } & Addresses)
  | { event: 'stepped' }
  /** After a collection of garbage. `resources`: what keeps the event loop alive. */
  | { event: 'vitals'; heapBytes: number; resources: number; cpuSeconds: number };

const { aheadMs: aheadAtFirst = 0, ...settings }: ServerSettings = JSON.parse(process.argv[2] ?? '');
let aheadMs = aheadAtFirst;
const config = readServerConfig();
const log = createLog(config.logLevel);
const clock = { now: () => Date.now() + aheadMs };
const server = await startServer(config, { ...settings, log, clock });
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [command, ms] = line.split(' ');
    if (command === 'step') aheadMs += Number(ms);
    say(command === 'step' ? { event: 'stepped' } : vitals());
  })
  .on('close', () => process.exit(0));
const portIn = (url: string | null | undefined) => (url ? Number(new URL(url).port) : null);
say({
  event: 'ready',
  api: server.api ?? '',
  pid: process.pid,
  httpPort: portIn(server.edge?.http),
  httpsPort: portIn(server.edge?.https),
  metrics: server.metrics,
});

function vitals(): Said {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  return {
    event: 'vitals',
    heapBytes: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
    cpuSeconds: (user + system) / 1e6,
  };
}

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
