import type { MetricFactory } from '../../base/metric-factory.ts';

export type CertificateMetrics = ReturnType<typeof certificateMetrics>;

export function certificateMetrics({ counter, gauge, histogram }: MetricFactory) {
  const metrics = {
    certificates: gauge('nameplate_certificates', 'Certificates in the store, by state.', ['state']),
    certificateOrders: counter(
      'nameplate_certificate_orders_total',
      'Orders that ended, by CA and outcome: issued, rate_limited, unavailable, account, authorization_failed, refused, order_gone.',
      ['issuer', 'outcome'],
    ),
    certificateToleratedAddresses: counter(
      'nameplate_certificate_tolerated_addresses_total',
      'Addresses of names that did not answer before an order, which began because another address did.',
    ),
    certificateSeconds: histogram(
      'nameplate_certificate_seconds',
      'Time from an order to its certificate, by CA.',
      [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600, 86_400],
      ['issuer'],
    ),
    certificateExpiry: gauge(
      'nameplate_certificate_expiry_timestamp_seconds',
      'Earliest expiry of a certificate in use whose name points to us, Unix time. Absent while there is none.',
    ),
    certificateWaitSeconds: gauge(
      'nameplate_certificate_oldest_waiting_seconds',
      'The longest time that a name has been without a certificate because of this installation or its CA. Names with a blocker of their own do not count. 0: none waits.',
    ),
    certificateBudget: gauge('nameplate_certificate_budget_orders', 'Orders left in the current window of each CA.', [
      'issuer',
    ]),
  };
  // The value 0 would be a time in 1970.
  metrics.certificateExpiry.remove();
  return metrics;
}
