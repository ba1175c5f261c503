import type { FastifyInstance } from 'fastify';
import { type Door, serveDoor } from './door.ts';

/** Vendors' APIs, on the port of ours. */
const DOORS: readonly Door[] = [];

/** Serves them beside the operations of an API (`createApi`). */
export function serveDoors(app: FastifyInstance): void {
  for (const door of DOORS) serveDoor(app, door);
}
