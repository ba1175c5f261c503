import { addressRule } from '../../net/addresses.ts';
import { type AddressLookup, createDialler } from '../../net/dialer.ts';
import type { Forwarder } from '../http/edge-exchange.ts';
import type { Tally } from '../shared-counters.ts';
import type { Report } from '../throttled-log.ts';
import { createProxy } from './proxy.ts';

export interface OriginsOptions {
  /** Networks of special addresses where origins may be all the same. */
  allowedNetworks: readonly string[];
  lookUp: AddressLookup;
  report: Report;
  tally: Pick<Tally, 'page'>;
}

/** Speaks with origins at public addresses, and at those that the operator allows. Customers choose origins: whatever else one leads to is not connected to. */
export function proxyToOrigins({ allowedNetworks, lookUp, report, tally }: OriginsOptions): Forwarder {
  return createProxy({
    dialler: createDialler({ mayDial: addressRule(allowedNetworks), lookUp }),
    onFailure({ hostname, deploymentId, origin, requestId }, { page, reason, detail }) {
      tally.page(page);
      report(
        'an origin failed',
        { domain: hostname, deploymentId, origin, requestId, reason, detail },
        `${origin} ${reason}`,
      );
    },
  });
}
