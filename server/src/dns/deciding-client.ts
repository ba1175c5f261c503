import type { Clock } from '../base/clock.ts';
import type { Failure } from '../domain/reading.ts';
import type { DnsMessage } from './protocol/wire.ts';
import { silentServers } from './silent-servers.ts';
import type { QueryClient, QueryOptions } from './transport/dns-client.ts';

const TIMEOUTS_MS = [3000] as const;

/**
 * Asks for what decides something, so that nobody off the path can forge the response (docs/guides/security.md, "Forged answers"): over TCP, where a forger
 * has to guess sequence numbers. A server that speaks no TCP is asked over UDP, each time from a port of its own and with the name in random case.
 */
export function decidingClient(client: QueryClient, clock: Clock): QueryClient {
  const withoutTcp = silentServers(clock);
  return {
    async query(question, server, options) {
      const { timeoutsMs = TIMEOUTS_MS, recursion, signal, mayRepeat = () => true } = options;

      async function attempt(timeoutMs: number): Promise<DnsMessage | Failure> {
        const ask = (how: Pick<QueryOptions, 'over' | 'mixedCase'>) =>
          client.query(question, server, { ...options, ...how, timeoutsMs: [timeoutMs] });
        if (withoutTcp.has(server.address)) return ask({ mixedCase: true });
        const overTcp = await ask({ over: 'tcp' });
        if (isAnswer(overTcp)) withoutTcp.note(server.address, true);
        // A resolver answers SERVFAIL for a zone that is broken.
        const isFinal = isAnswer(overTcp) || (recursion && rcodeOf(overTcp) === 'servfail');
        if (isFinal || signal.aborted || !mayRepeat()) return overTcp;
        const overUdp = await ask({ mixedCase: true });
        if (isAnswer(overUdp) && typeof overTcp === 'string') withoutTcp.note(server.address, false);
        return isAnswer(overUdp) || typeof overTcp === 'string' ? overUdp : overTcp;
      }

      for (const timeoutMs of timeoutsMs) {
        const response = await attempt(timeoutMs);
        if (response !== 'timeout' || signal.aborted) return response;
      }
      return 'timeout';
    },
  };
}

function isAnswer(response: DnsMessage | Failure): boolean {
  return ['noerror', 'nxdomain'].includes(rcodeOf(response));
}

function rcodeOf(response: DnsMessage | Failure): string {
  return typeof response === 'string' ? response : response.rcode;
}
