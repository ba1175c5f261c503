import { withTimeLimit } from '../base/time-limit.ts';
import { dnsClient } from '../dns/transport/dns-client.ts';
import { readValidationSupport } from '../dns/validation.ts';
import type { Stoppable } from '../net/listen.ts';
import type { RoleDeps } from './roles.ts';

const TIMEOUT_MS = 10_000;

/** Asks each configured resolver, once, and logs which of them do not validate DNSSEC. */
export function logUnvalidatingResolvers({ config, log }: Pick<RoleDeps, 'config' | 'log'>): Stoppable & {
  done: Promise<void>;
} {
  const client = dnsClient();
  const controller = new AbortController();
  const done = withTimeLimit(TIMEOUT_MS, controller.signal, (signal) =>
    Promise.all(
      config.dnsResolvers.map(async (resolver) => {
        const support = await readValidationSupport(client, resolver, signal);
        return support === 'does_not_validate' ? [resolver.address] : [];
      }),
    ),
  ).then((found) => {
    client.close();
    const resolvers = found.flat();
    if (resolvers.length === 0) return;
    const message =
      'resolvers of NAMEPLATE_DNS_RESOLVERS do not validate DNSSEC, so they cannot tell a record with an invalid signature from a valid one: use resolvers that do';
    log.warn({ resolvers }, message);
  });
  return {
    done,
    async stop() {
      controller.abort();
      await done;
    },
  };
}
