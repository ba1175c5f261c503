import type { Command } from 'commander';
import { define } from '../options.ts';
import { addMoveCheck } from './move-check.ts';
import { addMoveFrom } from './move-from.ts';
import { addMoveStatus } from './move-status.ts';
import { addMoveWatch } from './move-watch.ts';

/** Commands that move names here from another service: they read it, and follow the names until they are served. */
export function addMove(program: Command): void {
  const summary = 'Move names here from Cloudflare for SaaS, Vercel, Caddy or a CSV file.';
  const move = define(program, 'move', summary, [
    'nameplate move from cloudflare --help',
    'nameplate move from csv names.csv --dry-run',
    'nameplate move status',
  ]);
  addMoveFrom(move);
  addMoveStatus(move);
  addMoveCheck(move);
  addMoveWatch(move);
}
