import type { OwnDns } from '../certificates/policy/challenge-place.ts';
import type { AskTxt } from '../certificates/preflight/await-dns-challenge.ts';
import type { Config } from '../config/config.ts';
import type { DnsClient } from '../dns/transport/dns-client.ts';

type ZoneConfig = Pick<Config, 'challengeZone' | 'cnameZone' | 'cnameZoneDelegated' | 'dnsServers'>;

/** Our DNS servers, as a process with the role `certificates` asks them. */
export function ownDnsOf(config: ZoneConfig, port: number, client: Pick<DnsClient, 'query'>): OwnDns & { ask: AskTxt } {
  const { challengeZone = null, cnameZone, cnameZoneDelegated, dnsServers: servers = [] } = config;
  return {
    challengeZone,
    cnameZone: cnameZoneDelegated === 'on' ? cnameZone : null,
    servers,
    async ask(name, address, signal) {
      const asking = { recursion: false, signal, timeoutsMs: QUERY_MS };
      const response = await client.query({ name, type: 'TXT' }, { address, port }, asking);
      if (typeof response === 'string') return response;
      const isAnswer = response.rcode === 'noerror' || response.rcode === 'nxdomain';
      return isAnswer ? response.answers.map(({ value }) => value) : response.rcode.toUpperCase();
    },
  };
}

/** One attempt: the check repeats it. */
const QUERY_MS = [1500];
