import type { Command } from 'commander';
import { define } from '../options.ts';
import { addMoveFrom } from './move-from.ts';

/** Commands that move names here from another service: they read it, and follow the names until they are served. */
export function addMove(program: Command): void {
  const summary = 'Move names here from Cloudflare for SaaS, Vercel, Caddy or a CSV file.';
  const move = define(program, 'move', summary, [
    'nameplate move from cloudflare --help',
    'nameplate move from csv names.csv --dry-run',
  ]);
  addMoveFrom(move);
}
