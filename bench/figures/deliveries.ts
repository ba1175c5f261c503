import { type Bench, type Figure, type Row, showNumber } from '../figure.ts';
import type { DeliveriesOptions, DeliveriesPart, RanDelivering } from '../parts/deliveries.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { Receiver } from '../parts/receiver.ts';
import { populatePostgres } from '../postgres.ts';
import { quantile } from '../spread.ts';

const PER_SECOND = 50;
const PENDING = 60_000;
const LATENESS_FACTOR = 2;
/** A claim may come this late anyway: checks are polled for. */
const POLL_MS = 250;

/**
 * Fifty times the events of a million domains, to one webhook beside checks, on both engines; the same changes without
 * a webhook are the baseline.
 */
export const deliveries: Figure = {
  name: 'deliveries',
  async measure(bench) {
    const domains = Math.min(PENDING, bench.effort.mostDomains);
    const embedded = await bench.populate(domains);
    const sqlite = await compare(bench, 'SQLite', domains, { database: { path: embedded.path }, ids: embedded.ids });
    const server = await bench.postgres();
    const shared = await populatePostgres(server, domains);
    const postgres = await compare(bench, 'PostgreSQL', domains, { database: { url: shared.url }, ids: shared.ids });
    return [sqlite, postgres];
  },
};

async function compare(
  bench: Bench,
  engine: string,
  domains: number,
  about: Pick<DeliveriesOptions, 'database' | 'ids'>,
): Promise<Row> {
  const nameserver = await bench.start<Nameserver>('nameserver');
  const receiver = await bench.start<Receiver>('receiver');
  const part = await bench.start<DeliveriesPart>('deliveries', { profiled: true });
  await part.call.open({ ...about, port: await nameserver.call.start('absent'), url: await receiver.call.start() });
  const seconds = 15 * bench.effort.seconds;
  const run = (delivering: boolean) => part.call.run({ seconds, perSecond: PER_SECOND, delivering });
  const without = await run(false);
  const subject = await run(true);
  const delaysMs = await receiver.call.report(subject.since);
  for (const one of [nameserver, receiver, part]) await one.stop();
  const p99 = ({ latenessMs }: RanDelivering) => quantile(latenessMs, 0.99);
  const checks = (ran: RanDelivering) =>
    `${showNumber(ran.checks)} checks a second, lateness p99 ${showNumber(p99(ran))} ms, ${ran.cpuCores.toFixed(2)} cores`;
  const delay = (part: number) => (delaysMs.length === 0 ? 'never' : `${showNumber(quantile(delaysMs, part))} ms`);
  return {
    figure: `${engine}: ${showNumber(PER_SECOND)} events a second to one webhook for ${seconds} s, beside ${showNumber(domains)} pending domains`,
    measured: `${showNumber(subject.delivered)} delivered a second of ${showNumber(subject.events)}, ${delay(0.5)} after they happened (p99 ${delay(0.99)}), ${showNumber(subject.waiting)} waiting at the end; ${checks(subject)}`,
    baseline: `the same changes without a webhook: ${checks(without)}`,
    result: `lateness times ${(p99(subject) / Math.max(1, p99(without))).toFixed(2)}`,
    goal: `within ${LATENESS_FACTOR} times, all delivered`,
    met:
      p99(subject) <= LATENESS_FACTOR * Math.max(p99(without), POLL_MS) &&
      subject.delivered >= 0.99 * Math.max(subject.events, 0.99 * PER_SECOND),
  };
}
