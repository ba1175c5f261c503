import type { FastifyInstance } from 'fastify';
import { cloudflare } from './cloudflare/cloudflare.ts';
import { type Door, serveDoor } from './door.ts';
import { vercel } from './vercel/vercel.ts';

/** Vendors' APIs, on the port of ours. */
const DOORS: readonly Door[] = [cloudflare, vercel];

/** Serves them beside the operations of an API (`createApi`). */
export function serveDoors(app: FastifyInstance): void {
  for (const door of DOORS) serveDoor(app, door);
}
