import type { Routes } from '../routing/routes.ts';
import type { Verdict } from './tls.ts';

/** Judges what a TLS handshake for a name is to come to. An expired certificate is served: browsers say best what is wrong with it. */
export function createJudge({ findRoute, certificates }: Pick<Routes, 'findRoute' | 'certificates'>) {
  return async (serverName: string, clientAddress: string): Promise<Verdict> => {
    const { kind } = await findRoute(serverName, clientAddress);
    if (kind !== 'route') return { kind: 'none', outcome: kind === 'unknown' ? 'unknown_name' : kind };
    try {
      const certificate = await certificates.load(serverName);
      return certificate === null ? { kind: 'none', outcome: 'not_certified' } : { kind: 'certificate', certificate };
    } catch {
      return { kind: 'none', outcome: 'unavailable' };
    }
  };
}
