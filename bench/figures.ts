import type { Figure } from './figure.ts';
import { checks } from './figures/checks.ts';
import { cost } from './figures/cost.ts';
import { create } from './figures/create.ts';
import { deliveries } from './figures/deliveries.ts';
import { diagnoses } from './figures/diagnoses.ts';
import { dns, dnsBeside } from './figures/dns.ts';
import { caddyInFront, edge, edgeMemory, handshakes } from './figures/edge.ts';
import { apiThreads, evenly, often, postgresEvenly } from './figures/getDomain.ts';
import { beside, latency } from './figures/latency.ts';
import { listing, postgresListing } from './figures/listing.ts';
import { monitoring } from './figures/monitoring.ts';
import { postgresCost } from './figures/postgresCost.ts';
import { postgresNodes } from './figures/postgresNodes.ts';
import { postgresSnapshot } from './figures/postgresSnapshot.ts';
import { schedule } from './figures/schedule.ts';
import { start } from './figures/start.ts';
import { watchers } from './figures/watchers.ts';

/** In the order of docs/internals/benchmarks.md. */
export const figures: readonly Figure[] = [
  often,
  evenly,
  postgresEvenly,
  apiThreads,
  latency,
  beside,
  create,
  listing,
  checks,
  schedule,
  monitoring,
  deliveries,
  diagnoses,
  watchers,
  cost,
  start,
  edge,
  caddyInFront,
  handshakes,
  edgeMemory,
  dns,
  dnsBeside,
  postgresNodes,
  postgresListing,
  postgresCost,
  postgresSnapshot,
];
