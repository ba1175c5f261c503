import type { Command } from 'commander';
import { define } from '../options.ts';

/** The commands `move from`, one for each source. */
export function addMoveFrom(move: Command): void {
  const summary = 'Read the names of another service, and add them here with their metadata and certificates.';
  define(move, 'from', summary, ['nameplate move from csv names.csv --dry-run']);
}
