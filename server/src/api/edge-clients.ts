import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../base/client-network.ts';
import { clientOfEdge } from '../net/forwarded-by-edge.ts';
import { Problem } from './errors.ts';

interface EdgeClientsOptions {
  /** The secret that the edge of this process sends with each request. */
  secret: string;
  /** Most requests in flight of one client network: the edge's connections are shared by all clients. */
  perAddress: number;
}

/**
 * Judges requests that the edge forwards by the address of their client; throws a `Problem` when the client has too
 * many in flight.
 */
export function edgeClients({ secret, perAddress }: EdgeClientsOptions) {
  const inFlight = new Map<string, number>();

  function end(network: string): void {
    const left = (inFlight.get(network) ?? 0) - 1;
    if (left > 0) inFlight.set(network, left);
    else inFlight.delete(network);
  }

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const client = clientOfEdge(request.raw, secret);
    if (client === null) return;
    Object.defineProperty(request, 'ip', { value: client });
    const network = clientNetwork(client);
    const open = inFlight.get(network) ?? 0;
    if (open >= perAddress) {
      const detail = 'Too many requests in flight from this address. Try again after the time in Retry-After.';
      throw new Problem('limits/rate_limited', { detail, headers: { 'Retry-After': '1' } });
    }
    inFlight.set(network, open + 1);
    reply.raw.once('close', () => end(network));
  };
}
