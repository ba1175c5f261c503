import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type Refusal, renderRefusals } from '../api/domains-csv.ts';
import { MOST_SHOWN } from '../api/import-domains.ts';

/** Longest name that is shown, in characters: no domain is longer. */
const LONGEST_SHOWN = 253;

/** A report as `domains import` writes it, written while it grows: a million lines need no memory. */
export interface MoveReport {
  add(line: Refusal): void;
  /** The first lines. */
  shown: Refusal[];
  count(): number;
  /** Puts the file in its place, and returns its path; undefined: there is none, since there are no lines. */
  end(): string | undefined;
}

/** Undefined: no file. An earlier report is removed. */
export function openReport(path: string | undefined): MoveReport {
  const part = `${path}.part`;
  for (const old of path === undefined ? [] : [path, part]) rmSync(old, { force: true });
  let file: number | undefined;
  const shown: Refusal[] = [];
  let count = 0;
  return {
    shown,
    add(line) {
      count += 1;
      if (shown.length < MOST_SHOWN) shown.push({ ...line, domain: short(line.domain) });
      if (path === undefined) return;
      // It has data of customers: never into a file, or through a link, that is there already.
      file ??= openSync(part, 'wx', 0o600);
      writeSync(file, renderRefusals([line], { header: count === 1 }));
    },
    count: () => count,
    end() {
      if (file === undefined || path === undefined) return undefined;
      closeSync(file);
      renameSync(part, path);
      return path;
    },
  };
}

function short(name: string): string {
  return name.length <= LONGEST_SHOWN ? name : `${name.slice(0, LONGEST_SHOWN)}…`;
}
