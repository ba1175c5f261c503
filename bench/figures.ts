import type { Figure } from './figure.ts';
import { checks } from './figures/checks.ts';
import { cost, zones } from './figures/cost.ts';
import { create } from './figures/create.ts';
import { delegations } from './figures/delegations.ts';
import { diagnoses } from './figures/diagnoses.ts';
import { edge, edgeMemory, handshakes } from './figures/edge.ts';
import { evenly, often } from './figures/getDomain.ts';
import { beside, latency } from './figures/latency.ts';
import { monitoring } from './figures/monitoring.ts';
import { postgresCost } from './figures/postgresCost.ts';
import { postgresCreate } from './figures/postgresCreate.ts';
import { postgresNodes } from './figures/postgresNodes.ts';
import { postgresReads } from './figures/postgresReads.ts';
import { postgresSnapshot } from './figures/postgresSnapshot.ts';
import { schedule } from './figures/schedule.ts';
import { start } from './figures/start.ts';
import { steps } from './figures/steps.ts';

/** In the order of docs/benchmarks.md. */
export const figures: readonly Figure[] = [
  often,
  evenly,
  latency,
  beside,
  create,
  checks,
  delegations,
  schedule,
  monitoring,
  diagnoses,
  cost,
  zones,
  start,
  steps,
  edge,
  handshakes,
  edgeMemory,
  postgresReads,
  postgresNodes,
  postgresCreate,
  postgresCost,
  postgresSnapshot,
];
