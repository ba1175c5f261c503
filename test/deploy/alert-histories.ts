/**
 * Values that Prometheus scraped once a minute, by series (promtool's notation): `0x5` is 0 six times, `0+2x5` rises by
 * 2, `_` is no value.
 */
export type History = Record<string, string>;

interface Case {
  /** In place of the same series of the healthy history. */
  history: History;
  /** When the alert has to fire. */
  minute: number;
  /** Alerts that fire as well, as they should. */
  also?: string[];
}

const MINUTES = 400;
const always = (value: number) => `${value}x${MINUTES}`;
const rising = (perMinute: number) => `0+${perMinute}x${MINUTES}`;
/** Once, five minutes after the start. */
const once = (count = 1) => `0x5 ${count}x${MINUTES}`;
/** A counter that a process does not show before its first increase. */
const later = (perMinute: number) => `_x5 1+${perMinute}x${MINUTES}`;

/** Buckets of a histogram in which everything is in that of `le`. */
function histogram(name: string, labels: string, les: readonly string[], le: string): History {
  const from = les.indexOf(le);
  return Object.fromEntries(
    [...les, '+Inf'].map((each, at) => [`${name}_bucket{${labels}le="${each}"}`, at >= from ? rising(60) : always(0)]),
  );
}

const requestSeconds = (le: string) =>
  histogram('nameplate_request_seconds', 'operation="domains.getDomain",', ['0.01', '0.25', '1'], le);
const checksLate = (le: string) => histogram('nameplate_schedule_lateness_seconds', '', ['0.1', '15', '60'], le);
const rechecksLate = (le: string) => histogram('nameplate_recheck_lateness_seconds', '', ['60', '14400', '86400'], le);
const deliveriesLate = (le: string) => histogram('nameplate_webhook_lateness_seconds', '', ['0.1', '15', '60'], le);

const orders = (outcome: string) => `nameplate_certificate_orders_total{issuer="ca.test",outcome="${outcome}"}`;
const answers = (kind: string) => `nameplate_dns_answers_total{kind="${kind}"}`;

/** A process with all roles that is used, with the failures that are normal. */
export const HEALTHY: History = {
  up: always(1),
  'nameplate_requests_total{operation="domains.getDomain",status="200"}': rising(60),
  'nameplate_requests_total{operation="domains.createDomain",status="200"}': rising(1),
  nameplate_requests_shed_total: always(0),
  ...requestSeconds('0.01'),
  'nameplate_database_oldest_waiting_seconds{pool="writes"}': always(0),
  ...checksLate('0.1'),
  nameplate_claims_total: rising(60),
  'nameplate_checks_total{outcome="unchanged"}': rising(60),
  'nameplate_checks_total{outcome="error"}': always(0),
  'nameplate_rechecks_total{outcome="healthy"}': rising(60),
  'nameplate_rechecks_total{outcome="drifted"}': rising(1),
  'nameplate_domains{status="verified"}': always(10_000),
  ...rechecksLate('60'),
  [answers('answer')]: later(60),
  [answers('timeout')]: later(5),
  [answers('no_resolver')]: always(0),
  nameplate_dns_forgeries_total: rising(1),
  'nameplate_dns_server_queries_total{transport="udp",rcode="noerror"}': rising(60),
  'nameplate_dns_server_queries_total{transport="udp",rcode="servfail"}': always(0),
  'nameplate_dns_server_limited_total{action="drop"}': rising(60),
  nameplate_clock_jumps_total: always(0),
  nameplate_clock_offset_seconds: always(0.01),
  nameplate_connections: always(10),
  nodejs_eventloop_lag_p99_seconds: always(0.01),
  nameplate_certificate_expiry_timestamp_seconds: always(30 * 86_400),
  nameplate_certificate_oldest_waiting_seconds: always(0),
  'nameplate_certificates{state="issued"}': always(1000),
  'nameplate_certificates{state="renewing"}': always(5),
  [orders('issued')]: rising(1),
  [orders('refused')]: always(0),
  [orders('account')]: always(0),
  nameplate_certificate_tolerated_addresses_total: always(0),
  'nameplate_certificate_budget_orders{issuer="ca.test"}': always(280),
  ...deliveriesLate('0.1'),
  'nameplate_webhook_attempts_total{outcome="delivered"}': rising(60),
  'nameplate_webhook_attempts_total{outcome="timeout"}': later(1),
  'nameplate_webhook_attempts_total{outcome="secret"}': always(0),
  'nameplate_webhook_deliveries_total{outcome="failed"}': always(0),
  nameplate_webhook_oldest_waiting_seconds: always(30),
  nameplate_webhooks_disabled_total: always(0),
  'nameplate_edge_requests_total{protocol="h2",status="2xx"}': rising(600),
  'nameplate_edge_requests_total{protocol="h2",status="5xx"}': rising(1),
  'nameplate_edge_pages_total{page="unavailable"}': always(0),
  'nameplate_edge_pages_total{page="origin_down"}': rising(1),
  'nameplate_edge_handshakes_total{outcome="full"}': rising(60),
  'nameplate_edge_handshakes_total{outcome="not_certified"}': rising(1),
  'nameplate_edge_proxy_headers_total{outcome="client"}': rising(60),
  'nameplate_edge_proxy_headers_total{outcome="malformed"}': always(0),
  'nameplate_thread_deaths_total{kind="edge"}': always(0),
  nameplate_backup_last_success_timestamp_seconds: always(0),
  nameplate_store_open: always(1),
  nameplate_edge_cache_age_seconds: always(600),
};

/** Each alert, and what has to make it fire. */
export const CASES: Record<string, Case> = {
  NameplateDown: { history: { up: `1x5 0x${MINUTES}` }, minute: 8 },
  NameplateFails: {
    history: { 'nameplate_requests_total{operation="domains.getDomain",status="500"}': later(6) },
    minute: 20,
  },
  NameplateOverloaded: { history: { nameplate_requests_shed_total: rising(5) }, minute: 15 },
  NameplateSlow: { history: requestSeconds('1'), minute: 30 },
  NameplateDatabasePoolBusy: {
    history: { 'nameplate_database_oldest_waiting_seconds{pool="writes"}': always(3) },
    minute: 10,
  },
  NameplateChecksLate: { history: checksLate('60'), minute: 30 },
  NameplateChecksStopped: {
    history: {
      'nameplate_requests_total{operation="domains.createDomain",status="200"}': once(),
      nameplate_claims_total: always(0),
    },
    minute: 10,
  },
  NameplateChecksFail: { history: { 'nameplate_checks_total{outcome="error"}': rising(3) }, minute: 30 },
  NameplateDomainsDrift: { history: { 'nameplate_rechecks_total{outcome="drifted"}': once(400) }, minute: 10 },
  NameplateDomainsGone: {
    history: { 'nameplate_domains{status="verified"}': `10000x90 9000x${MINUTES}` },
    minute: 100,
  },
  NameplateRechecksLate: { history: rechecksLate('86400'), minute: 200 },
  NameplateDnsUnreadable: { history: { [answers('timeout')]: later(200) }, minute: 40 },
  NameplateDnsForged: { history: { nameplate_dns_forgeries_total: rising(20) }, minute: 20 },
  NameplateDnsServerFails: {
    history: { 'nameplate_dns_server_queries_total{transport="udp",rcode="servfail"}': rising(1) },
    minute: 20,
  },
  NameplateDnsServerFlooded: {
    history: { 'nameplate_dns_server_limited_total{action="drop"}': rising(9000) },
    minute: 20,
  },
  NameplateClockWrong: { history: { nameplate_clock_jumps_total: once() }, minute: 20 },
  NameplateResolversDown: {
    // One domain waits; what was cached is gone.
    history: {
      [answers('answer')]: `_x5 10x${MINUTES}`,
      [answers('timeout')]: later(0),
      [answers('no_resolver')]: `0x5 1+1x${MINUTES}`,
    },
    minute: 18,
  },
  NameplateConnectionsNearLimit: { history: { nameplate_connections: always(9000) }, minute: 10 },
  NameplateEventLoopLate: { history: { nodejs_eventloop_lag_p99_seconds: always(0.5) }, minute: 20 },
  NameplateCertificateExpires: {
    history: { nameplate_certificate_expiry_timestamp_seconds: always(200_000) },
    minute: 20,
  },
  NameplateCertificatesWait: { history: { nameplate_certificate_oldest_waiting_seconds: always(4000) }, minute: 20 },
  NameplateCertificatesNotRenewed: {
    history: { 'nameplate_certificates{state="renewing"}': always(300) },
    minute: 365,
  },
  NameplateCertificatesRefused: {
    history: { [orders('issued')]: always(0), [orders('refused')]: `0x5 25x${MINUTES}` },
    minute: 40,
  },
  NameplateCaRefusesAccount: { history: { [orders('account')]: once() }, minute: 10 },
  NameplateAddressDead: { history: { nameplate_certificate_tolerated_addresses_total: once() }, minute: 10 },
  NameplateCaBudgetSpent: {
    history: { 'nameplate_certificate_budget_orders{issuer="ca.test"}': always(5) },
    minute: 35,
  },
  NameplateDeliveriesLate: { history: deliveriesLate('60'), minute: 30 },
  NameplateDeliveriesFail: {
    history: { 'nameplate_webhook_attempts_total{outcome="timeout"}': later(600) },
    minute: 60,
  },
  NameplateDeliveriesNotSent: {
    history: { 'nameplate_webhook_attempts_total{outcome="secret"}': once() },
    minute: 10,
  },
  NameplateDeliveriesWait: { history: { nameplate_webhook_oldest_waiting_seconds: always(90_000) }, minute: 70 },
  NameplateDeliveriesGivenUp: {
    history: { 'nameplate_webhook_deliveries_total{outcome="failed"}': once() },
    minute: 10,
  },
  NameplateWebhookDisabled: { history: { nameplate_webhooks_disabled_total: once() }, minute: 10 },
  NameplateEdgeWithoutStore: {
    history: { 'nameplate_edge_pages_total{page="unavailable"}': rising(120) },
    minute: 20,
  },
  NameplateEdgeFails: {
    history: { 'nameplate_edge_requests_total{protocol="h2",status="5xx"}': rising(100) },
    minute: 30,
  },
  NameplateOriginsDown: { history: { 'nameplate_edge_pages_total{page="origin_down"}': rising(100) }, minute: 20 },
  NameplateHandshakesNotCertified: {
    history: { 'nameplate_edge_handshakes_total{outcome="not_certified"}': rising(30) },
    minute: 60,
  },
  NameplateProxyHeaders: {
    history: { 'nameplate_edge_proxy_headers_total{outcome="malformed"}': rising(10) },
    minute: 20,
  },
  NameplateThreadRestarted: { history: { 'nameplate_thread_deaths_total{kind="edge"}': once() }, minute: 10 },
  NameplateThreadsCrash: {
    history: { 'nameplate_thread_deaths_total{kind="edge"}': once(5) },
    minute: 10,
    also: ['NameplateThreadRestarted'],
  },
  NameplateBackupOld: { history: { nameplate_backup_last_success_timestamp_seconds: always(-130_000) }, minute: 20 },
  NameplateStartedWithoutStore: { history: { nameplate_store_open: always(0) }, minute: 5 },
  NameplateEdgeCacheOld: { history: { nameplate_edge_cache_age_seconds: always(12_000) }, minute: 20 },
};
