import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Series that alerts count begin at 0: Prometheus sees no increase in one that begins at 1. */
const FROM_ZERO = {
  checks: ['unchanged', 'changed', 'verified', 'failed', 'stale', 'dropped', 'error'],
  rechecks: ['healthy', 'drifted'],
  deliveryAttempts: ['delivered', 'secret', 'error'],
  deliveries: ['delivered', 'failed'],
} as const;

/** The metrics of one process, or of one of its threads, except those of the edge. Every label has few values. */
export type Metrics = ReturnType<typeof createMetrics>;

/** `ofProcess`: with those of Node.js and the operating system. */
export function createMetrics({ ofProcess = true } = {}) {
  const registry = new Registry();
  const registers = [registry];
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const metrics = {
    registry,
    threadDeaths: new Counter({
      name: 'nameplate_thread_deaths_total',
      help: 'Threads that crashed or hung, by kind: api, background (checks, certificates and deliveries), diagnosis, edge, writer.',
      labelNames: ['kind'],
      registers,
    }),
    storeOpen: new Gauge({
      name: 'nameplate_store_open',
      help: 'Whether the store was reached since this process was started. 0: its edge serves from the edge cache alone.',
      registers,
    }),
    databaseConnections: new Gauge({
      name: 'nameplate_database_connections',
      help: 'Connections to PostgreSQL, by pool (reads, writes) and state (in_use, idle), without the one that listens for changes.',
      labelNames: ['pool', 'state'],
      registers,
    }),
    databaseWaiting: new Gauge({
      name: 'nameplate_database_waiting',
      help: 'Transactions that wait for a connection to PostgreSQL (writes), and statements that share one or wait until theirs is open (reads).',
      labelNames: ['pool'],
      registers,
    }),
    databaseWaitSeconds: new Gauge({
      name: 'nameplate_database_oldest_waiting_seconds',
      help: 'How long what waits for longest has been waiting for a connection to PostgreSQL, by pool; 0: nothing waits.',
      labelNames: ['pool'],
      aggregator: 'max',
      registers,
    }),
    lastBackup: new Gauge({
      name: 'nameplate_backup_last_success_timestamp_seconds',
      help: 'Of when the last backup is that "nameplate backup" made of this store, Unix time; absent: it made none.',
      registers,
    }),
    clockJumps: new Counter({
      name: 'nameplate_clock_jumps_total',
      help: 'Times that the clock of this process jumped by more than a minute.',
      registers,
    }),
    clockOffset: new Gauge({
      name: 'nameplate_clock_offset_seconds',
      help: "How far the clock is ahead of that of the database's server; 0 on SQLite.",
      registers,
    }),
    requests: new Counter({
      name: 'nameplate_requests_total',
      help: 'API requests, by operation and HTTP status; a stream counts when it ends.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'nameplate_request_seconds',
      help: 'Time from the header of an API request to the end of its response, by operation. Without streams.',
      labelNames: ['operation'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    requestsShed: new Counter({
      name: 'nameplate_requests_shed_total',
      help: 'API requests refused by load shedding.',
      registers,
    }),
    connections: new Gauge({
      name: 'nameplate_connections',
      help: 'Open connections to the API.',
      registers,
    }),
    watchers: new Gauge({
      name: 'nameplate_watchers',
      help: 'Open streams of domains.watchDomain.',
      registers,
    }),
    watchersEnded: new Counter({
      name: 'nameplate_watchers_ended_total',
      help: 'Streams of domains.watchDomain that ended, by reason: client, domain_gone, access_ended, server_stopping, stalled (the client did not read).',
      labelNames: ['reason'],
      registers,
    }),
    checks: new Counter({
      name: 'nameplate_checks_total',
      help: 'DNS checks completed, by outcome: unchanged, changed, verified, failed, stale, dropped (shutdown, or the process was suspended), error.',
      labelNames: ['outcome'],
      registers,
    }),
    checkSeconds: new Histogram({
      name: 'nameplate_check_seconds',
      help: 'Duration of a DNS check.',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    checksInFlight: new Gauge({
      name: 'nameplate_checks_in_flight',
      help: 'DNS checks in flight in this process.',
      registers,
    }),
    claims: new Counter({
      name: 'nameplate_claims_total',
      help: 'Due checks claimed by this process.',
      registers,
    }),
    scheduleLatenessSeconds: new Histogram({
      name: 'nameplate_schedule_lateness_seconds',
      help: 'Time from when a check was due until it was claimed.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
      registers,
    }),
    rechecks: new Counter({
      name: 'nameplate_rechecks_total',
      help: 'Re-checks of verified domains completed, by outcome: healthy, unreadable, suspected (a first look missed something), drifted, still_drifted, recovered, failed, stale, dropped (shutdown, or the process was suspended), error.',
      labelNames: ['outcome'],
      registers,
    }),
    rechecksInFlight: new Gauge({
      name: 'nameplate_rechecks_in_flight',
      help: 'Re-checks of verified domains in flight in this process.',
      registers,
    }),
    recheckLatenessSeconds: new Histogram({
      name: 'nameplate_recheck_lateness_seconds',
      help: 'Time from when a re-check was due until it was claimed.',
      buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
      registers,
    }),
    domains: new Gauge({
      name: 'nameplate_domains',
      help: 'Domains in the store, by status: pending, verifying, verified, failed.',
      labelNames: ['status'],
      registers,
    }),
    domainsDrifted: new Gauge({
      name: 'nameplate_domains_drifted',
      help: 'Verified domains in the store that were told to have lost what they need.',
      registers,
    }),
    dnsAnswers: new Counter({
      name: 'nameplate_dns_answers_total',
      help: 'DNS queries, by kind of answer; no_resolver: the resolvers did not say who serves a public suffix.',
      labelNames: ['kind'],
      registers,
    }),
    dnsForgeries: new Counter({
      name: 'nameplate_dns_forgeries_total',
      help: 'DNS responses from the address of a server that was asked, with an id or a question that no query has.',
      registers,
    }),
    certificates: new Gauge({
      name: 'nameplate_certificates',
      help: 'Certificates in the store, by state.',
      labelNames: ['state'],
      registers,
    }),
    certificateOrders: new Counter({
      name: 'nameplate_certificate_orders_total',
      help: 'Orders that ended, by CA and outcome: issued, rate_limited, unavailable, account, authorization_failed, refused, order_gone.',
      labelNames: ['issuer', 'outcome'],
      registers,
    }),
    certificateToleratedAddresses: new Counter({
      name: 'nameplate_certificate_tolerated_addresses_total',
      help: 'Addresses of names that did not answer before an order, which was begun since another address did.',
      registers,
    }),
    certificateSeconds: new Histogram({
      name: 'nameplate_certificate_seconds',
      help: 'Time from an order to its certificate, by CA.',
      labelNames: ['issuer'],
      buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600, 86_400],
      registers,
    }),
    certificateExpiry: new Gauge({
      name: 'nameplate_certificate_expiry_timestamp_seconds',
      help: 'Earliest expiry of a certificate in use whose name points to us, Unix time.',
      registers,
    }),
    certificateWaitSeconds: new Gauge({
      name: 'nameplate_certificate_oldest_waiting_seconds',
      help: 'How long the certificate that waits for longest has been waiting for this installation or its CA: none is in use, and nothing about its name is in the way; 0: none waits.',
      registers,
    }),
    certificateBudget: new Gauge({
      name: 'nameplate_certificate_budget_orders',
      help: 'Orders left in the current window of each CA.',
      labelNames: ['issuer'],
      registers,
    }),
    deliveryAttempts: new Counter({
      name: 'nameplate_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook, by outcome: delivered, redirect, status (any other), address, scheme, connection, tls, timeout, invalid; of no fault of the receiver: secret (it cannot be unsealed), busy (too many connections), error (of the program), dropped (shutdown, or the process was suspended).',
      labelNames: ['outcome'],
      registers,
    }),
    deliveries: new Counter({
      name: 'nameplate_webhook_deliveries_total',
      help: 'Events for webhooks that are finished, without tests, by outcome: delivered, failed (given up after three days).',
      labelNames: ['outcome'],
      registers,
    }),
    webhooksDisabled: new Counter({
      name: 'nameplate_webhooks_disabled_total',
      help: 'Webhooks that were disabled because nothing had been delivered to them for three days.',
      registers,
    }),
    deliveryAttemptSeconds: new Histogram({
      name: 'nameplate_webhook_attempt_seconds',
      help: 'Duration of an attempt to deliver an event.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    deliveryLatenessSeconds: new Histogram({
      name: 'nameplate_webhook_lateness_seconds',
      help: 'Time from when a delivery, or its next attempt, was due until it was claimed; without those to receivers that do not answer, which wait for each other.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
      registers,
    }),
    deliveriesInFlight: new Gauge({
      name: 'nameplate_webhook_deliveries_in_flight',
      help: 'Deliveries in flight in this process.',
      registers,
    }),
    deliveriesWaiting: new Gauge({
      name: 'nameplate_webhook_deliveries_waiting',
      help: 'Events in the store that wait to be delivered to an enabled webhook, counted up to 10,000.',
      registers,
    }),
    deliveryWaitSeconds: new Gauge({
      name: 'nameplate_webhook_oldest_waiting_seconds',
      help: 'How long the event that waits for longest has been waiting to be delivered; 0: none waits.',
      registers,
    }),
    webhooks: new Gauge({
      name: 'nameplate_webhooks',
      help: 'Webhooks in the store, by state: failing (the last attempt failed), disabled (by a request, or after three days without any delivery).',
      labelNames: ['state'],
      registers,
    }),
  };
  for (const [name, outcomes] of Object.entries(FROM_ZERO))
    for (const outcome of outcomes) metrics[name as keyof typeof FROM_ZERO].inc({ outcome }, 0);
  metrics.dnsAnswers.inc({ kind: 'no_resolver' }, 0);
  // Until there is one: 0 would be of 1970.
  metrics.certificateExpiry.remove();
  metrics.lastBackup.remove();
  return metrics;
}
