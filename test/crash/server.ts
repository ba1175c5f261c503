import { createInterface } from 'node:readline';
import { readServerConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { startServer } from '../../src/main.ts';

// The program under test: `nameplate serve`, configured by the environment, but for what only tests may choose: the port of nameservers, the
// lengths of the schedule, and the clock, which can be stepped. It is told so in its one argument, and by lines on standard input, at whose
// end it ends: it never outlives the tests.

/** The argument, in JSON. */
export interface ServerSettings {
  nameserverPort: number;
  checkIntervalMs: number;
  windowMs: number;
}

/** A line of standard output that is none of the log's. */
export type Said =
  | { event: 'ready'; api: string; pid: number }
  | { event: 'stepped' }
  /** After a collection of garbage. `resources`: what keeps the event loop alive. */
  | { event: 'vitals'; heapBytes: number; resources: number; cpuSeconds: number };

let aheadMs = 0;
const settings: ServerSettings = JSON.parse(process.argv[2] ?? '');
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
say({ event: 'ready', api: server.api ?? '', pid: process.pid });

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
