import type { MetricFactory } from '../base/metric-factory.ts';

export type CheckMetrics = ReturnType<typeof checkMetrics>;

/** The metrics of the clock, of checks and re-checks, and of domains. */
export function checkMetrics({ counter, gauge, histogram }: MetricFactory) {
  return {
    clockJumps: counter(
      'nameplate_clock_jumps_total',
      'Times that the clock of this process jumped by more than a minute.',
    ),
    clockOffset: gauge(
      'nameplate_clock_offset_seconds',
      "How far the clock is ahead of that of the database's server. Always 0 on SQLite.",
    ),
    checks: counter(
      'nameplate_checks_total',
      'DNS checks completed, by outcome: unchanged, changed, verified, failed, stale, dropped (shutdown, or the process was suspended), error.',
      ['outcome'],
      ['unchanged', 'changed', 'verified', 'failed', 'stale', 'dropped', 'error'],
    ),
    checkSeconds: histogram(
      'nameplate_check_seconds',
      'Duration of a DNS check.',
      [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
    ),
    checksInFlight: gauge('nameplate_checks_in_flight', 'DNS checks in flight in this process.'),
    claims: counter('nameplate_claims_total', 'Due checks that this process has claimed.'),
    scheduleLatenessSeconds: histogram(
      'nameplate_schedule_lateness_seconds',
      'Time from when a check was due until it was claimed.',
      [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
    ),
    rechecks: counter(
      'nameplate_rechecks_total',
      'Re-checks of verified domains completed, by outcome: healthy, unreadable, suspected (a first re-check missed something), drifted, still_drifted, recovered, failed, stale, dropped (shutdown, or the process was suspended), error.',
      ['outcome'],
      ['healthy', 'drifted'],
    ),
    rechecksInFlight: gauge('nameplate_rechecks_in_flight', 'Re-checks of verified domains in flight in this process.'),
    recheckLatenessSeconds: histogram(
      'nameplate_recheck_lateness_seconds',
      'Time from when a re-check was due until it was claimed.',
      [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
    ),
    looks: counter(
      'nameplate_looks_total',
      'Looks at verified names from outside, by outcome: live, partly_live, unreachable, doubted (a first look saw a worse state), inconclusive (DNS could not be read, or this installation is at fault), stale, dropped (shutdown, or the process was suspended), error.',
      ['outcome'],
      ['live', 'unreachable', 'inconclusive'],
    ),
    domains: gauge('nameplate_domains', 'Domains in the store, by status: pending, verifying, verified, failed.', [
      'status',
    ]),
    domainsDrifted: gauge(
      'nameplate_domains_drifted',
      'Verified domains in the store that have lost a record or an address that they need.',
    ),
  };
}
